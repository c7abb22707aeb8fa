// Enhancements. Every page works without this script, except bulk input.
"use strict";

// After a form was rejected, move the focus to the list of errors.
document.querySelector("[data-focus]")?.focus();

// Show only the fields that apply to what was chosen. Fields with a value or an error stay visible.
for (const form of document.querySelectorAll("form[data-adaptive]")) {
  const isMet = (condition) => {
    const [name, values] = condition.split("=");
    const sibling = form.elements[name];
    const value = sibling && (sibling.type === "checkbox" ? String(sibling.checked) : sibling.value || sibling.dataset.default);
    return values === "*" ? Boolean(value) : values.split(",").includes(value);
  };
  const updateVisibility = () => {
    for (const mark of form.querySelectorAll("[data-required-if]")) {
      mark.hidden = !isMet(mark.dataset.requiredIf);
      mark.closest(".field").querySelector("input, select").ariaRequired = String(!mark.hidden);
    }
    for (const field of form.querySelectorAll("[data-condition]")) {
      const input = field.querySelector("input, select");
      const isFilled = input.type !== "checkbox" && input.value !== "" && input.value !== input.dataset.default;
      field.hidden = !isMet(field.dataset.condition) && !isFilled && !field.classList.contains("has-error");
    }
    for (const hint of form.querySelectorAll("[data-shown-if]")) hint.hidden = !isMet(hint.dataset.shownIf);
    for (const section of form.querySelectorAll("fieldset[data-section]")) {
      section.hidden = [...section.querySelectorAll(".field")].every((field) => field.hidden);
    }
  };
  form.addEventListener("change", updateVisibility);
  updateVisibility();
}

// A branch code belongs to one bank, so it is not kept for another one.
for (const form of document.querySelectorAll("form[data-branch-of-bank]")) {
  form.elements["bank_account.bank_id"]?.addEventListener("change", () => { form.elements["bank_account.branch_code"].value = ""; });
}

// Passwords can be shown, because typing errors are easy to make on a phone. They are hidden again when the form is sent.
for (const form of document.querySelectorAll("form:has(input[type=password])")) {
  const inputs = [...form.querySelectorAll("input[type=password]")];
  const button = document.createElement("button");
  button.type = "button";
  button.className = "show-typed";
  const show = (isShown) => {
    for (const input of inputs) input.type = isShown ? "text" : "password";
    button.textContent = isShown ? "Hide password" : "Show password";
  };
  show(false);
  button.addEventListener("click", () => show(inputs[0].type === "password"));
  form.addEventListener("submit", () => show(false));
  (inputs.at(-1).closest(".field") ?? form).append(button);
}

// A form that was opened to enter something gets the focus, unless there are errors to read. When the page has loaded,
// because scrolling to the fragment of the address takes the focus away.
addEventListener("load", () => {
  if (document.querySelector("[data-focus]") || document.activeElement !== document.body) return;
  const fields = document.querySelectorAll("form[data-entry] :is(input:not([type=hidden]), select)");
  [...fields].find((field) => field.offsetParent)?.focus();
});

// The total of a working week while it is edited. A blank field has the hours of a full day.
for (const week of document.querySelectorAll("table[data-week]")) {
  const form = week.closest("form"), fullDay = form.elements["calculation_details.full_day_hours_input"];
  form.addEventListener("input", () => {
    const rows = [...week.tBodies[0].rows].map((row) => [row.querySelector("select"), row.querySelector("input")]);
    for (const [, hours] of rows) hours.placeholder = fullDay.value;
    const total = rows.reduce((sum, [day, hours]) => sum + (day.value === "true" ? Number(hours.value || fullDay.value) : 0), 0);
    week.querySelector("[data-week-total]").textContent = Number.isFinite(total) ? String(Math.round(total * 1000) / 1000) : "–";
  });
}

// Live search: load the same page while typing, and replace the results.
for (const form of document.querySelectorAll("form[data-live]")) {
  let timer, requested, latest = 0;
  const search = async () => {
    const url = `${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`;
    if (url === requested) return; // leaving the field changes nothing, and a result may have the focus
    requested = url;
    const number = ++latest;
    const response = await fetch(url, { headers: { accept: "text/html" } });
    if (number !== latest) return;
    if (!response.ok) {
      requested = undefined;
      return;
    }
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const results = page.getElementById(form.dataset.live);
    if (!results) return location.assign(url);
    document.getElementById(form.dataset.live).replaceWith(results);
    history.replaceState(null, "", url);
  };
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 120); });
  form.addEventListener("change", search);
}

// The command palette: the search page in a dialog. Ctrl-K opens it, arrows choose, Enter opens, Escape closes.
const openers = document.querySelectorAll("a[data-palette]");
if (openers.length) {
  const dialog = document.createElement("dialog");
  dialog.className = "palette";
  dialog.setAttribute("aria-label", "Command palette");
  dialog.innerHTML = '<input type="search" role="combobox" aria-expanded="true" aria-controls="palette-results" aria-autocomplete="list" aria-label="Go to" placeholder="Search for pages, people, companies and actions" autocomplete="off"><div id="palette-results" role="listbox" aria-label="Results"></div><p class="palette-note" role="status" hidden></p>';
  document.body.append(dialog);
  const input = dialog.querySelector("input"), list = dialog.querySelector("[role=listbox]"), note = dialog.querySelector(".palette-note"), placeholder = input.placeholder;
  let address, timer, latest = 0, chosen = 0;
  const options = () => [...list.querySelectorAll("[role=option]")];
  const choose = (index) => {
    const all = options();
    chosen = all.length ? (index + all.length) % all.length : 0;
    all.forEach((option, position) => option.setAttribute("aria-selected", String(position === chosen)));
    input.setAttribute("aria-activedescendant", all[chosen]?.id ?? "");
    all[chosen]?.scrollIntoView({ block: "nearest" });
  };
  const load = async () => {
    const number = ++latest;
    const url = new URL(address, location.href);
    url.searchParams.set("q", input.value);
    const response = await fetch(url, { headers: { accept: "text/html" } });
    if (number !== latest) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (!page.getElementById("search-results")) return location.assign(url);
    list.replaceChildren(...[...page.querySelectorAll("#search-results section")].map((section, group) => {
      const part = document.createElement("div");
      part.setAttribute("role", "group");
      part.setAttribute("aria-label", section.querySelector("h2").textContent);
      const title = document.createElement("p");
      title.className = "group";
      title.setAttribute("aria-hidden", "true");
      title.textContent = section.querySelector("h2").textContent;
      part.append(title, ...[...section.querySelectorAll("a")].map((link, position) => {
        link.id = `palette-${group}-${position}`;
        link.setAttribute("role", "option");
        link.tabIndex = -1;
        return link;
      }));
      return part;
    }));
    const more = page.querySelector("#search-results [data-more]")?.textContent ?? "";
    note.textContent = options().length ? more : `Nothing found. ${more}`;
    note.hidden = !note.textContent;
    choose(0);
  };
  const open = (opener) => {
    address = opener.getAttribute("href");
    input.value = "";
    input.placeholder = opener.dataset.placeholder ?? placeholder;
    dialog.showModal();
    load();
  };
  for (const opener of openers) opener.addEventListener("click", (event) => { event.preventDefault(); open(opener); });
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!dialog.open) open(document.querySelector("a[data-palette=main]") ?? openers[0]);
  });
  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(load, 100); });
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); choose(chosen + step); }
    if (event.key === "Enter") { event.preventDefault(); options()[chosen]?.click(); }
    if (event.key === "Escape") { event.preventDefault(); dialog.close(); } // Otherwise the browser only clears the field.
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
}

// On narrow screens the navigation scrolls. Bring the current page into view.
document.querySelector(".nav [aria-current=page]")?.scrollIntoView({ block: "nearest", inline: "center" });

// Ask before a page with entries that were not sent is left. After an error, what was sent is not saved either.
const guarded = [...document.querySelectorAll(".layout main form[method=post]")];
const entries = (form) => JSON.stringify([...new FormData(form)].map(([name, value]) => [name, value instanceof File ? value.name : value]));
const initialEntries = new Map(guarded.map((form) => [form, form.querySelector(".has-error") ? null : entries(form)]));
let sentForm = null;
addEventListener("submit", (event) => { if (!event.defaultPrevented && !event.submitter?.formTarget) sentForm = event.target; });
addEventListener("pageshow", () => { sentForm = null; });
addEventListener("beforeunload", (event) => {
  const isUnsent = (form) => form !== sentForm && form.isConnected && entries(form) !== initialEntries.get(form);
  if (guarded.some(isUnsent)) event.preventDefault();
});

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

// Print buttons.
for (const button of document.querySelectorAll("button[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// Copy buttons.
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try { await navigator.clipboard.writeText(source.textContent); button.textContent = "Copied"; }
    catch { getSelection().selectAllChildren(source); button.textContent = "Press Ctrl-C"; }
  });
}

// Downloads that the page lists: save the file, then show the new state with the entries that are not saved. Anything
// but a file is opened.
addEventListener("click", async (event) => {
  const control = event.target.closest("[data-download]");
  if (!control || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (control.ariaBusy === "true") return;
  control.ariaBusy = "true";
  const url = new URL(control.form ? control.form.action : control.href);
  if (control.form) url.search = new URLSearchParams(new FormData(control.form, control));
  const response = await fetch(url).catch(() => null);
  const name = response?.headers.get("content-disposition")?.match(/^attachment; filename="([^"]*)"/)?.[1];
  if (!name) return location.assign(url);
  const file = document.createElement("a");
  file.href = URL.createObjectURL(await response.blob());
  file.download = name;
  file.click();
  url.searchParams.delete("download");
  history.replaceState(null, "", url);
  const text = await fetch(url, { headers: { accept: "text/html" } }).then((page) => page.text()).catch(() => "");
  const main = new DOMParser().parseFromString(text, "text/html").querySelector("main");
  if (!main) return location.reload();
  const typed = [...document.querySelectorAll("main input[id]")].filter((input) => input.value !== input.defaultValue);
  document.querySelector("main").replaceWith(main);
  for (const input of typed) {
    const same = document.getElementById(input.id);
    if (same) same.value = input.value;
  }
  [...main.querySelectorAll("[data-download]")].find((again) => again.value === control.value && again.href === control.href)?.focus();
});

// Reload a page that shows the progress of background work.
const refreshing = document.querySelector("[data-refresh-s]");
if (refreshing) setTimeout(() => location.reload(), 1000 * Number(refreshing.dataset.refreshS));

// Close the account menu with Escape or a click elsewhere.
const account = document.querySelector("details.account");
addEventListener("keydown", (event) => { if (event.key === "Escape" && account?.open) { account.open = false; account.querySelector("summary").focus(); } });
addEventListener("click", (event) => { if (account?.open && !account.contains(event.target)) account.open = false; });

// Tables with rows to select: Shift-click selects a range, the box in the header selects all, and the number is shown.
let lastBox = null;
const showSelectedRows = (table) => {
  const boxes = [...table.querySelectorAll("tbody input[type=checkbox]")];
  const number = boxes.filter((box) => box.checked).length;
  const most = Math.min(boxes.length, Number(table.dataset.select) || boxes.length);
  const all = table.querySelector("[data-select-all]");
  if (all) {
    all.checked = number > 0 && number >= most;
    all.indeterminate = number > 0 && number < most;
  }
  const text = document.querySelector("[data-selected]");
  if (text) text.textContent = number > most ? `${number} selected, at most ${most} at once` : number ? `${number} selected` : text.dataset.selected;
  showSelectedTotals(table, boxes.filter((box) => box.checked).map((box) => box.closest("tr")));
};
// The totals of a table follow the selection. Without scripts they are those of all rows, which the label says.
const showSelectedTotals = (table, rows) => {
  const footer = table.querySelector("[data-total-of]");
  if (!footer) return;
  footer.cells[0].textContent = `Total of ${rows.length} selected ${footer.dataset.totalOf}${rows.length === 1 ? "" : "s"}`;
  for (const cell of table.querySelectorAll("[data-total]")) {
    const isMoney = cell.dataset.total === "cents";
    const sum = rows.reduce((total, row) => total + Number(row.cells[cell.cellIndex].dataset[cell.dataset.total] || 0), 0);
    const digits = isMoney ? 2 : 0, amount = isMoney ? Math.abs(sum) / 100 : Math.abs(sum);
    const shown = amount.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
    cell.textContent = `${sum < 0 ? "-" : ""}${isMoney ? "$" : ""}${shown}`;
  }
};
addEventListener("click", (event) => {
  const table = event.target.closest?.("table[data-select]"), box = event.target;
  if (!table || box.type !== "checkbox") return;
  const boxes = [...table.querySelectorAll("tbody input[type=checkbox]")];
  if ("selectAll" in box.dataset) {
    const most = Number(table.dataset.select) || boxes.length;
    boxes.forEach((item, index) => { item.checked = box.checked && index < most; });
  } else {
    const [first, last] = [boxes.indexOf(lastBox), boxes.indexOf(box)].sort((a, b) => a - b);
    if (event.shiftKey && first >= 0) for (const item of boxes.slice(first, last + 1)) item.checked = box.checked;
    lastBox = box;
  }
  showSelectedRows(table);
});
addEventListener("pageshow", () => document.querySelectorAll("table[data-select]").forEach(showSelectedRows));

// "/" focuses the search.
addEventListener("keydown", (event) => {
  const search = document.querySelector("form[data-live] input[type=search]");
  if (event.key === "/" && search && !event.target.closest("input, select, textarea")) { event.preventDefault(); search.focus(); }
});
