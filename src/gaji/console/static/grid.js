// The bulk input grid: keyboard navigation, pasting from spreadsheets, saving, and errors in cells.
"use strict";

const sheet = document.getElementById("sheet");
const cells = [...sheet.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("input")]);
const statusText = document.getElementById("status");
const saveButton = document.getElementById("save");

const position = (input) => {
  const row = cells.findIndex((inputs) => inputs.includes(input));
  return [row, cells[row].indexOf(input)];
};
const countCells = (count) => `${count} ${count === 1 ? "cell" : "cells"}`;
const changedInputs = () => cells.flat().filter((input) => input.value.trim() !== "" && !input.closest("td").classList.contains("saved"));
const clearMarks = (cell) => { cell.classList.remove("invalid", "saved", "changed"); cell.querySelector(".error")?.remove(); cell.querySelector("input").removeAttribute("aria-invalid"); };
const markChanged = (input) => {
  const cell = input.closest("td");
  clearMarks(cell);
  cell.classList.toggle("changed", input.value.trim() !== "");
  const count = changedInputs().length;
  saveButton.disabled = count === 0;
  statusText.textContent = count ? `${countCells(count)} to save` : "";
};
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

sheet.addEventListener("input", (event) => markChanged(event.target));

sheet.addEventListener("keydown", (event) => {
  const steps = { ArrowUp: -1, ArrowDown: 1, Enter: event.shiftKey ? -1 : 1 };
  const step = steps[event.key];
  if (!step || event.target.tagName !== "INPUT") return;
  event.preventDefault();
  const [row, column] = position(event.target);
  const next = cells[row + step]?.[column];
  if (next) { next.focus(); next.select(); }
});

// Spreadsheets copy cells as lines with tabs. Pasted cells fill the grid from the focused cell.
sheet.addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text/plain").replace(/\r/g, "").replace(/\n$/, "");
  if (!/[\t\n]/.test(text)) return;
  event.preventDefault();
  const [row, column] = position(event.target);
  let ignored = 0;
  text.split("\n").forEach((line, down) => line.split("\t").forEach((value, across) => {
    const input = cells[row + down]?.[column + across];
    if (!input) { ignored += 1; return; }
    input.value = value.trim().replace(/^\$/, "").replace(/,(?=\d{3}(\D|$))/g, "");
    markChanged(input);
  }));
  if (ignored) statusText.textContent += ` · ${ignored} pasted ${ignored === 1 ? "value is" : "values are"} outside the grid and ignored`;
});

const changedEntities = () => {
  const changed = new Set(changedInputs());
  return cells.flatMap((inputs) => {
    const filled = inputs.filter((input) => changed.has(input));
    if (!filled.length) return [];
    const attributes = Object.fromEntries(filled.map((input) => [input.name, input.value.trim()]));
    return [{ id: filled[0].closest("tr").dataset.employee, payslip_date: sheet.dataset.period, attributes }];
  });
};

const failToSave = (message) => {
  statusText.textContent = `${message}. Your entries are still here.`;
  saveButton.disabled = false;
};

saveButton.addEventListener("click", async () => {
  const entities = changedEntities();
  if (!entities.length) return;
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
    failToSave("The server cannot be reached, try again");
    return;
  }
  if (!response.ok) {
    const problem = await response.json().catch(() => ({ message: `The server responded with status ${response.status}` }));
    failToSave(problem.message);
    return;
  }
  showResults(await response.json(), entities);
});

const showResults = (results, entities) => {
  let saved = 0, invalid = 0;
  results.forEach((result, index) => {
    const row = sheet.querySelector(`tr[data-employee="${entities[index].id}"]`);
    const rowError = result.errors.id ?? result.errors.payslip_date ?? result.errors.payslip_id;
    for (const name of Object.keys(entities[index].attributes)) {
      const input = row.querySelector(`input[name="${name}"]`);
      const message = result.errors[name] ?? rowError;
      if (message) { showError(input, message); invalid += 1; }
      else if (!Object.keys(result.errors).length) { clearMarks(input.closest("td")); input.closest("td").classList.add("saved"); saved += 1; }
    }
  });
  const lines = [];
  if (saved) lines.push(`${countCells(saved)} saved`);
  if (invalid) lines.push(`${countCells(invalid)} invalid: ${invalid === 1 ? "its row was" : "their rows were"} not saved`);
  statusText.textContent = lines.join(". ");
  saveButton.disabled = changedInputs().length === 0;
  sheet.querySelector(".invalid input")?.focus();
};

addEventListener("beforeunload", (event) => { if (changedInputs().length) event.preventDefault(); });
