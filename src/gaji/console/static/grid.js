// The grid of bulk input: moving with the keys, pasting from a spreadsheet, saving, and telling what is wrong in each cell.
"use strict";

const sheet = document.getElementById("sheet");
const cells = [...sheet.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("input")]);
const said = document.getElementById("said");
const save = document.getElementById("save");

const place = (input) => {
  const row = input.closest("tr");
  const line = cells.findIndex((inputs) => inputs.includes(input));
  return [line, cells[line].indexOf(input), row];
};
const changed = () => cells.flat().filter((input) => input.value.trim() !== "" && !input.closest("td").classList.contains("saved"));
const clear = (cell) => { cell.classList.remove("wrong", "saved", "changed"); cell.querySelector(".fault")?.remove(); cell.querySelector("input").removeAttribute("aria-invalid"); };
const mark = (input) => {
  const cell = input.closest("td");
  clear(cell);
  cell.classList.toggle("changed", input.value.trim() !== "");
  const count = changed().length;
  save.disabled = count === 0;
  said.textContent = count ? `${count} ${count === 1 ? "cell" : "cells"} to be saved` : "";
};
const fault = (input, text) => {
  const cell = input.closest("td");
  clear(cell);
  cell.classList.add("wrong");
  input.setAttribute("aria-invalid", "true");
  const told = document.createElement("span");
  told.className = "fault";
  told.textContent = text;
  cell.append(told);
};

sheet.addEventListener("input", (event) => mark(event.target));

sheet.addEventListener("keydown", (event) => {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], Enter: [event.shiftKey ? -1 : 1, 0] };
  const step = steps[event.key];
  if (!step || event.target.tagName !== "INPUT") return;
  event.preventDefault();
  const [line, column] = place(event.target);
  const next = cells[line + step[0]]?.[column + step[1]];
  if (next) { next.focus(); next.select(); }
});

// A block from a spreadsheet comes as lines with tabs; it fills the grid from the cell that one is in.
sheet.addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text/plain").replace(/\r/g, "").replace(/\n$/, "");
  if (!/[\t\n]/.test(text)) return;
  event.preventDefault();
  const [line, column] = place(event.target);
  let left = 0;
  text.split("\n").forEach((row, down) => row.split("\t").forEach((value, across) => {
    const input = cells[line + down]?.[column + across];
    if (!input) { left += 1; return; }
    input.value = value.trim().replace(/^\$/, "").replace(/,(?=\d{3}(\D|$))/g, "");
    mark(input);
  }));
  if (left) said.textContent += ` · ${left} pasted ${left === 1 ? "value is" : "values are"} outside the grid and left out`;
});

const entities = () => cells.flatMap((inputs) => {
  const given = inputs.filter((input) => changed().includes(input));
  if (!given.length) return [];
  const attributes = Object.fromEntries(given.map((input) => [input.name, input.value.trim()]));
  return [{ id: given[0].closest("tr").dataset.employee, payslip_date: sheet.dataset.period, attributes }];
});

save.addEventListener("click", async () => {
  const sent = entities();
  if (!sent.length) return;
  save.disabled = true;
  said.textContent = "Saving…";
  let answer;
  try {
    answer = await fetch(location.pathname, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "x-form-token": sheet.dataset.token },
      body: JSON.stringify({ entities: sent }),
    });
  } catch {
    said.textContent = "The server could not be reached. Nothing that you typed is lost; try again.";
    save.disabled = false;
    return;
  }
  if (!answer.ok) {
    const told = await answer.json().catch(() => ({ message: `The server answered ${answer.status}` }));
    said.textContent = `${told.message}. Nothing that you typed is lost.`;
    save.disabled = false;
    return;
  }
  show(await answer.json(), sent);
});

const show = (outcomes, sent) => {
  let good = 0, bad = 0;
  outcomes.forEach((outcome, index) => {
    const row = sheet.querySelector(`tr[data-employee="${sent[index].id}"]`);
    const faults = { ...outcome.errors };
    for (const name of Object.keys(sent[index].attributes)) {
      const input = row.querySelector(`input[name="${name}"]`);
      const whole = faults.id ?? faults.payslip_date ?? faults.payslip_id;
      if (faults[name] ?? whole) { fault(input, faults[name] ?? whole); bad += 1; }
      else if (!Object.keys(faults).length) { clear(input.closest("td")); input.closest("td").classList.add("saved"); good += 1; }
    }
  });
  const told = [];
  if (good) told.push(`${good} ${good === 1 ? "cell is" : "cells are"} saved`);
  if (bad) told.push(`${bad} ${bad === 1 ? "cell is" : "cells are"} not right; nothing of ${bad === 1 ? "its row" : "those rows"} is saved, and all of it is still here`);
  said.textContent = told.join(". ");
  save.disabled = changed().length === 0;
  sheet.querySelector(".wrong input")?.focus();
};

addEventListener("beforeunload", (event) => { if (changed().length) event.preventDefault(); });
