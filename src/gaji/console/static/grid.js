// The bulk input grid, used like a spreadsheet: selection, copy and paste, fill down, undo, saving, and errors in cells.
// The saved value of a cell is the default value of its input. Cells that differ are kept on the device until they are saved.
"use strict";

const sheet = document.getElementById("sheet");
const rows = [...sheet.querySelectorAll("tbody tr")].filter((row) => row.querySelector("input"));
const cells = rows.map((row) => [...row.querySelectorAll("input")]);
const allCells = cells.flat();
const byId = (id) => document.getElementById(id);
const statusText = byId("status"), selectionText = byId("selection"), saveButton = byId("save"), undoButton = byId("undo");

const positions = new Map(cells.flatMap((inputs, row) => inputs.map((input, column) => [input, [row, column]])));
const isCell = (element) => positions.has(element);
const employeeOf = (input) => input.closest("tr").dataset.employee;
const countCells = (count) => `${count} ${count === 1 ? "cell" : "cells"}`;
const clean = (text) => text.trim().replace(/^S?\$\s*/, "").replace(/,(?=\d{3}(\D|$))/g, "");
const isSame = (text, other) => text === other || (text !== "" && other !== "" && Number(text) === Number(other));
const isChanged = (input) => !isSame(clean(input.value), input.defaultValue);
const changedCells = () => allCells.filter(isChanged);

// Unsaved cells, by employee and input, on this device. They outlive a session that ends, and other pages of the grid.
const storageKey = sheet.dataset.storage, MAX_AGE_MS = 7 * 24 * 3600 * 1000;
const readStored = () => {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey)) ?? {};
    return Date.now() - stored.at < MAX_AGE_MS ? stored.cells : {};
  } catch { return {}; }
};
const stored = readStored();
const storedKey = (input) => `${employeeOf(input)} ${input.name}`;
const store = () => {
  for (const input of allCells) {
    if (isChanged(input)) stored[storedKey(input)] = input.value;
    else delete stored[storedKey(input)];
  }
  try {
    if (Object.keys(stored).length) localStorage.setItem(storageKey, JSON.stringify({ at: Date.now(), cells: stored }));
    else localStorage.removeItem(storageKey);
  } catch { /* Without storage, the warning before leaving the page is all there is. */ }
};
const storedElsewhere = () => {
  const here = new Set(allCells.map(storedKey));
  return Object.keys(stored).filter((key) => !here.has(key)).length;
};

// Marks of cells.
const clearMarks = (cell) => { cell.classList.remove("invalid", "saved", "changed"); cell.querySelector(".error")?.remove(); cell.querySelector("input").removeAttribute("aria-invalid"); };
const showError = (input, message) => {
  const cell = input.closest("td");
  clearMarks(cell);
  cell.classList.add("invalid");
  input.setAttribute("aria-invalid", "true");
  const text = document.createElement("span");
  text.className = "error";
  text.textContent = message;
  cell.append(text);
};
const markChanged = (input) => {
  const cell = input.closest("td");
  clearMarks(cell);
  cell.classList.toggle("changed", isChanged(input));
};
const showCount = (more = "") => {
  const count = changedCells().length, elsewhere = storedElsewhere();
  saveButton.disabled = count === 0;
  undoButton.disabled = undone.length === 0;
  const parts = [count ? `${countCells(count)} to save` : "", elsewhere ? `${countCells(elsewhere)} to save in other columns or pages` : "", more];
  statusText.textContent = parts.filter(Boolean).join(" · ");
};

// Changes. Each entry of the history is a list of cells with their text before and after. Typing in one cell is one entry.
const undone = [], redone = [];
let typed = null;
const finishTyping = () => { typed = null; };
const record = (changes) => { undone.push(changes); redone.length = 0; };
const setCells = (changes, side) => {
  for (const change of changes) { change.input.value = change[side]; markChanged(change.input); }
  store();
  showCount();
};
const changeCells = (values, more = "") => {
  finishTyping();
  const changes = values.map(([input, after]) => ({ input, before: input.value, after })).filter(({ before, after }) => before !== after);
  if (changes.length) record(changes);
  setCells(changes, "after");
  showCount(more);
};
const step = (from, to, side) => {
  finishTyping();
  const changes = from.pop();
  if (!changes) return;
  to.push(changes);
  setCells(changes, side);
  select(changes[0].input, changes.at(-1).input);
};
const undo = () => step(undone, redone, "before");
const redo = () => step(redone, undone, "after");

sheet.addEventListener("input", ({ target }) => {
  typed.after = target.value;
  markChanged(target);
  store();
  showCount();
});
sheet.addEventListener("beforeinput", (event) => {
  const { target, inputType } = event;
  if (inputType === "historyUndo" || inputType === "historyRedo") {
    event.preventDefault();
    if (inputType === "historyUndo") undo(); else redo();
  } else if (typed?.input !== target) {
    typed = { input: target, before: target.value, after: target.value };
    record([typed]);
  }
});

// Selection: from the anchor to the focused cell.
let anchor = null, focused = null, editing = false;
const range = () => {
  const [[row, column], [otherRow, otherColumn]] = [positions.get(anchor), positions.get(focused)];
  const [top, bottom] = [row, otherRow].sort((a, b) => a - b), [left, right] = [column, otherColumn].sort((a, b) => a - b);
  return { top, bottom, left, right };
};
const selectedRows = () => {
  if (!anchor) return [];
  const { top, bottom, left, right } = range();
  return cells.slice(top, bottom + 1).map((inputs) => inputs.slice(left, right + 1));
};
const showSelection = () => {
  for (const cell of sheet.querySelectorAll("td.selected")) cell.classList.remove("selected");
  const selected = selectedRows().flat();
  if (selected.length < 2) { selectionText.textContent = ""; return; }
  for (const input of selected) input.closest("td").classList.add("selected");
  const numbers = selected.map((input) => clean(input.value)).filter((text) => text !== "" && !Number.isNaN(Number(text))).map(Number);
  const sum = numbers.reduce((total, number) => total + number, 0).toLocaleString("en-SG", { maximumFractionDigits: 2 });
  selectionText.textContent = `${countCells(selected.length)} selected${numbers.length ? `, sum ${sum}` : ""}`;
};
const select = (from, to = from) => {
  anchor = from;
  focused = to;
  to.focus();
  showSelection();
};
sheet.addEventListener("focusin", ({ target }) => {
  if (!isCell(target)) return;
  finishTyping();
  editing = false;
  if (focused !== target) { anchor = target; focused = target; showSelection(); }
  target.select();
});
sheet.addEventListener("mousedown", (event) => {
  const input = event.target.closest("td")?.querySelector("input");
  if (!input) return;
  if (input === document.activeElement && !event.shiftKey) { editing = true; select(input); return; }
  event.preventDefault(); // Otherwise the browser places the cursor, and what is typed would not replace the value.
  select(event.shiftKey && anchor ? anchor : input, input);
});
sheet.addEventListener("mouseover", (event) => {
  const input = event.target.closest("td")?.querySelector("input");
  if (input && anchor && event.buttons === 1 && input !== focused) { getSelection().removeAllRanges(); select(anchor, input); }
});

// Keys.
const moveBy = (down, across, extend) => {
  const [row, column] = positions.get(focused);
  const clamp = (value, last) => Math.min(Math.max(value, 0), last);
  const next = cells[clamp(row + down, cells.length - 1)][clamp(column + across, cells[0].length - 1)];
  select(extend ? anchor : next, next);
};
const fillDown = () => {
  if (!focused) return;
  const { top, bottom, left, right } = range();
  const source = top === bottom ? top - 1 : top;
  if (source < 0) return;
  const targets = cells.slice(source + 1, bottom + 1).flatMap((inputs) => inputs.slice(left, right + 1));
  changeCells(targets.map((input) => [input, cells[source][positions.get(input)[1]].value]));
};
const clearSelected = () => changeCells(selectedRows().flat().map((input) => [input, ""]));
const MANY = 1_000_000;
const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-15, 0], PageDown: [15, 0], Home: [0, -MANY], End: [0, MANY] };
const commands = {
  a: () => { const last = cells.at(-1).at(-1); select(cells[0][0], last); },
  d: fillDown,
  s: () => saveButton.click(),
  y: redo,
  z: undo,
};
const editKeys = (event) => {
  if (event.key === "Escape") { editing = false; if (typed) undo(); event.target.select(); }
  if (["ArrowUp", "ArrowDown"].includes(event.key)) { event.preventDefault(); moveBy(event.key === "ArrowUp" ? -1 : 1, 0, false); }
};
sheet.addEventListener("keydown", (event) => {
  if (!isCell(event.target) || event.isComposing) return;
  if ((event.ctrlKey || event.metaKey) && !event.altKey) {
    const name = event.key.toLowerCase();
    const command = name === "z" && event.shiftKey ? redo : commands[name];
    if (event.key === "Home" || event.key === "End") { event.preventDefault(); const way = event.key === "Home" ? -MANY : MANY; moveBy(way, way, event.shiftKey); }
    else if (command && !(name === "a" && editing)) { event.preventDefault(); command(); }
    return;
  }
  if (event.altKey) return;
  if (event.key === "Enter") { event.preventDefault(); moveBy(event.shiftKey ? -1 : 1, 0, false); return; }
  if (editing) { editKeys(event); return; }
  if (event.key === "F2") { event.preventDefault(); editing = true; event.target.setSelectionRange(event.target.value.length, event.target.value.length); return; }
  if (event.key === "Escape") { if (typed) editKeys(event); else select(focused); return; }
  if (event.key === "Delete" || (event.key === "Backspace" && !typed)) { event.preventDefault(); clearSelected(); return; }
  const move = moves[event.key];
  if (move) { event.preventDefault(); moveBy(...move, event.shiftKey); }
});

// Spreadsheets copy cells as lines with tabs.
const hasTextSelection = (input) => editing && input.selectionStart !== input.selectionEnd;
const copy = (event) => {
  if (!isCell(event.target) || hasTextSelection(event.target)) return false;
  event.preventDefault();
  event.clipboardData.setData("text/plain", selectedRows().map((inputs) => inputs.map((input) => input.value).join("\t")).join("\n"));
  return true;
};
sheet.addEventListener("copy", copy);
sheet.addEventListener("cut", (event) => { if (copy(event)) clearSelected(); });
sheet.addEventListener("paste", (event) => {
  if (!isCell(event.target) || editing) return;
  event.preventDefault();
  const text = event.clipboardData.getData("text/plain").replace(/\r/g, "").replace(/\n$/, "");
  const block = text.split("\n").map((line) => line.split("\t").map(clean));
  const { top, left } = range();
  const selected = selectedRows().flat();
  if (block.length === 1 && block[0].length === 1) { changeCells(selected.map((input) => [input, block[0][0]])); return; }
  const pasted = block.flatMap((values, down) => values.map((value, across) => [cells[top + down]?.[left + across], value]));
  const inside = pasted.filter(([input]) => input), ignored = pasted.length - inside.length;
  changeCells(inside, ignored ? `${ignored} pasted ${ignored === 1 ? "value is" : "values are"} outside the grid and ignored` : "");
  select(inside[0][0], inside.at(-1)[0]);
});
undoButton.addEventListener("click", undo);
byId("fill").addEventListener("click", () => { fillDown(); focused?.focus(); });

// Saving. A row is saved completely or not at all.
const changedEntities = () => cells.flatMap((inputs) => {
  const changed = inputs.filter(isChanged);
  if (!changed.length) return [];
  const attributes = Object.fromEntries(changed.map((input) => [input.name, clean(input.value)]));
  return [{ id: employeeOf(changed[0]), payslip_date: sheet.dataset.period, attributes }];
});
let leaving = false;
const showFailure = (message, link) => {
  statusText.textContent = `${message}. Your entries are kept on this device. `;
  saveButton.disabled = false;
  if (!link) return;
  const anchorElement = document.createElement("a");
  [anchorElement.href, anchorElement.textContent] = link;
  anchorElement.addEventListener("click", () => { leaving = true; });
  statusText.append(anchorElement);
};
const here = location.pathname + location.search;
saveButton.addEventListener("click", async () => {
  const entities = changedEntities();
  if (!entities.length || saveButton.disabled) return;
  finishTyping();
  saveButton.disabled = true;
  statusText.textContent = "Saving…";
  let response;
  try {
    response = await fetch(location.pathname, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "x-form-token": sheet.dataset.token },
      body: JSON.stringify({ entities }),
    });
  } catch {
    showFailure("The server cannot be reached, try again");
    return;
  }
  if (response.redirected) { showFailure("Your session has ended", [`/sign-in?next=${encodeURIComponent(here)}`, "Sign in"]); return; }
  if (!response.ok) {
    const problem = await response.json().catch(() => ({ message: `The server responded with status ${response.status}` }));
    showFailure(problem.message, response.status === 403 ? [here, "Reload"] : undefined);
    return;
  }
  showResults(await response.json(), entities);
});

const showResults = (results, entities) => {
  let saved = 0, invalid = 0;
  results.forEach((result, index) => {
    const row = sheet.querySelector(`tr[data-employee="${entities[index].id}"]`);
    const rowError = result.errors.id ?? result.errors.payslip_date ?? result.errors.payslip_id;
    for (const [name, text] of Object.entries(entities[index].attributes)) {
      const input = row.querySelector(`input[name="${name}"]`);
      const message = result.errors[name] ?? rowError;
      if (message) { showError(input, message); invalid += 1; }
      else if (!Object.keys(result.errors).length) {
        input.defaultValue = text;
        markChanged(input);
        if (!isChanged(input)) input.closest("td").classList.add("saved");
        saved += 1;
      }
    }
  });
  store();
  showCount();
  byId("restored").hidden ||= changedCells().length === 0;
  const lines = [];
  if (saved) lines.push(`${countCells(saved)} saved`);
  if (invalid) lines.push(`${countCells(invalid)} invalid: ${invalid === 1 ? "its row was" : "their rows were"} not saved`);
  statusText.textContent = lines.join(". ");
  sheet.querySelector(".invalid input")?.focus();
};

// Restore what was not saved. The values of another device or user may have been saved since: only what differs is changed.
const restored = allCells.filter((input) => storedKey(input) in stored).map((input) => [input, stored[storedKey(input)]]);
const notice = byId("restored");
changeCells(restored.filter(([input, text]) => !isSame(clean(text), input.defaultValue)));
undone.length = 0;
if (changedCells().length) {
  byId("restored-text").textContent = `${countCells(changedCells().length)} restored.`;
  notice.hidden = false;
}
showCount();
byId("discard").addEventListener("click", () => {
  changeCells(restored.map(([input]) => [input, input.defaultValue]));
  notice.hidden = true;
  select(restored[0][0]);
});

addEventListener("beforeunload", (event) => { if (!leaving && changedCells().length) event.preventDefault(); });
