// What makes the console more comfortable. Every page works without it.
"use strict";

// After a form was refused, the reader is where the faults are listed.
document.querySelector("[data-focus]")?.focus();

// Only the fields that mean anything beside what was chosen are shown; one that has a value stays.
for (const form of document.querySelectorAll("form[data-adaptive]")) {
  const adapt = () => {
    for (const field of form.querySelectorAll("[data-needs]")) {
      const [name, values] = field.dataset.needs.split("=");
      const neighbour = form.elements[name];
      const wanted = neighbour && (neighbour.type === "checkbox" ? String(neighbour.checked) : neighbour.value || neighbour.dataset.usual);
      const input = field.querySelector("input, select");
      const filled = input.type !== "checkbox" && input.value !== "" && input.value !== input.dataset.usual;
      field.hidden = !values.split(",").includes(wanted) && !filled && !field.classList.contains("faulty");
    }
    for (const section of form.querySelectorAll("fieldset[data-section]")) {
      section.hidden = [...section.querySelectorAll(".field")].every((field) => field.hidden);
    }
  };
  form.addEventListener("change", adapt);
  adapt();
}

// A search that answers while one types: the same page, of which the results are taken over.
for (const form of document.querySelectorAll("form[data-live]")) {
  const results = () => document.getElementById(form.dataset.live);
  let waiting, latest = 0;
  const search = async () => {
    const number = ++latest;
    const address = `${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`;
    const answer = await fetch(address, { headers: { accept: "text/html" } });
    if (!answer.ok || number !== latest) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.getElementById(form.dataset.live);
    if (!found) return location.assign(address);
    results().replaceWith(found);
    history.replaceState(null, "", address);
  };
  form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(search, 120); });
  form.addEventListener("change", search);
}

// What takes a moment is said to be under way, and is not sent twice.
addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  const button = event.submitter ?? event.target.querySelector("button");
  if (event.target.method !== "post" || !button || button.formTarget) return; // what opens elsewhere can be pressed again
  setTimeout(() => { button.disabled = true; button.setAttribute("aria-busy", "true"); });
});
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("button[aria-busy]")) { button.disabled = false; button.removeAttribute("aria-busy"); }
});

// A key is copied with one press.
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy).textContent;
    try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; }
    catch { getSelection().selectAllChildren(document.getElementById(button.dataset.copy)); button.textContent = "Press Ctrl-C"; }
  });
}

// A page about work that goes on shows how far it is.
const going = document.querySelector("[data-refresh-s]");
if (going) setTimeout(() => location.reload(), 1000 * Number(going.dataset.refreshS));

// The path of a menu closes when one goes elsewhere with the keyboard or the mouse.
const account = document.querySelector("details.account");
addEventListener("keydown", (event) => { if (event.key === "Escape" && account?.open) { account.open = false; account.querySelector("summary").focus(); } });
addEventListener("click", (event) => { if (account?.open && !account.contains(event.target)) account.open = false; });
// "/" goes to the search.
addEventListener("keydown", (event) => {
  const search = document.querySelector("form[data-live] input[type=search]");
  if (event.key === "/" && search && !event.target.closest("input, select, textarea")) { event.preventDefault(); search.focus(); }
});
