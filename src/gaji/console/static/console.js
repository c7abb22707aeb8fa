// Enhancements. Every page works without this script, except bulk input.
"use strict";

// After a form was rejected, move the focus to the list of errors.
document.querySelector("[data-focus]")?.focus();

// Show only the fields that apply to what was chosen. Fields with a value or an error stay visible.
for (const form of document.querySelectorAll("form[data-adaptive]")) {
  const updateVisibility = () => {
    for (const field of form.querySelectorAll("[data-condition]")) {
      const [name, values] = field.dataset.condition.split("=");
      const sibling = form.elements[name];
      const value = sibling && (sibling.type === "checkbox" ? String(sibling.checked) : sibling.value || sibling.dataset.default);
      const input = field.querySelector("input, select");
      const isFilled = input.type !== "checkbox" && input.value !== "" && input.value !== input.dataset.default;
      field.hidden = !values.split(",").includes(value) && !isFilled && !field.classList.contains("has-error");
    }
    for (const section of form.querySelectorAll("fieldset[data-section]")) {
      section.hidden = [...section.querySelectorAll(".field")].every((field) => field.hidden);
    }
  };
  form.addEventListener("change", updateVisibility);
  updateVisibility();
}

// Live search: load the same page while typing, and replace the results.
for (const form of document.querySelectorAll("form[data-live]")) {
  let timer, latest = 0;
  const search = async () => {
    const number = ++latest;
    const url = `${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`;
    const response = await fetch(url, { headers: { accept: "text/html" } });
    if (!response.ok || number !== latest) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const results = page.getElementById(form.dataset.live);
    if (!results) return location.assign(url);
    document.getElementById(form.dataset.live).replaceWith(results);
    history.replaceState(null, "", url);
  };
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 120); });
  form.addEventListener("change", search);
}

// On narrow screens the navigation scrolls. Bring the current page into view.
document.querySelector(".nav [aria-current=page]")?.scrollIntoView({ block: "nearest", inline: "center" });

// Disable a submit button while its request runs, so that nothing is sent twice.
addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  const button = event.submitter ?? event.target.querySelector("button");
  if (event.target.method !== "post" || !button || button.formTarget) return; // Buttons that open a new tab stay enabled.
  setTimeout(() => { button.disabled = true; button.setAttribute("aria-busy", "true"); });
});
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("button[aria-busy]")) { button.disabled = false; button.removeAttribute("aria-busy"); }
});

// Without a configured public address, links that people copy start with the address of this page.
for (const address of document.querySelectorAll("[data-origin]")) address.textContent = location.origin;

// Copy buttons.
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try { await navigator.clipboard.writeText(source.textContent); button.textContent = "Copied"; }
    catch { getSelection().selectAllChildren(source); button.textContent = "Press Ctrl-C"; }
  });
}

// Reload a page that shows the progress of background work.
const refreshing = document.querySelector("[data-refresh-s]");
if (refreshing) setTimeout(() => location.reload(), 1000 * Number(refreshing.dataset.refreshS));

// Close the account menu with Escape or a click elsewhere.
const account = document.querySelector("details.account");
addEventListener("keydown", (event) => { if (event.key === "Escape" && account?.open) { account.open = false; account.querySelector("summary").focus(); } });
addEventListener("click", (event) => { if (account?.open && !account.contains(event.target)) account.open = false; });

// "/" focuses the search.
addEventListener("keydown", (event) => {
  const search = document.querySelector("form[data-live] input[type=search]");
  if (event.key === "/" && search && !event.target.closest("input, select, textarea")) { event.preventDefault(); search.focus(); }
});
