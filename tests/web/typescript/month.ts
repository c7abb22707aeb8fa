// The payroll of a month with the types that openapi-typescript makes from the OpenAPI document.
// Usage: node month.js <base URL> <API key>

import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type EmployeeInput = components["schemas"]["EmployeeInput"];

const [baseUrl, key] = process.argv.slice(2);
if (baseUrl === undefined || key === undefined) throw new Error("Usage: node month.js <base URL> <API key>");

const api = createClient<paths>({ baseUrl, headers: { Authorization: key } });
const PERIOD_END = "2026-01-31";

/** Returns the data of a response, or throws an error with the message of the problem. */
function dataOf<T>(result: { data?: T; error?: { message: string }; response: Response }): T {
  if (result.data === undefined) throw new Error(`${result.response.status}: ${result.error?.message ?? "no data"}`);
  return result.data;
}

function expect(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

const client = dataOf(await api.POST("/clients", { body: { name: "Kopi Works" } }));
const inClient = { params: { path: { client_id: client.id } } };

const wave = dataOf(
  await api.POST("/clients/{client_id}/waves", {
    ...inClient,
    body: { frequency: "monthly", last_day_of_month: 31, first_end_date: PERIOD_END },
  }),
);

const person: EmployeeInput = {
  wave_id: wave.id,
  first_name: "Mei Ling",
  last_name: "Tan",
  payment_method: "cash",
  birthdate: "1990-04-12",
  appointment_date: "2026-01-01",
  legal_status: "CITIZEN",
  nric: "S9012345I",
  gender: "F",
  race: "CHINESE",
  religion: "NONE",
  sdl_exempt: false,
  cpf_exempt: false,
};
const created = dataOf(
  await api.POST("/clients/{client_id}/employees/bulk", {
    ...inClient,
    body: { employees: [person, { ...person, nric: "S1234567A" }] },
  }),
);
const [hired, rejected] = created.results;
expect(hired?.success === true && hired.id !== null, "the first employee is saved");
expect(rejected?.success === false && rejected.errors?.["nric"] !== undefined, "the second one has an invalid NRIC");
const inEmployee = { params: { path: { employee_id: hired.id } } };

dataOf(
  await api.POST("/employees/{employee_id}/calculations", {
    ...inEmployee,
    body: { calc_type: "basic_salary", calculation_details: { pay_type: "monthly", fixed_amount: "4200.00" } },
  }),
);

const run = dataOf(
  await api.POST("/clients/{client_id}/payment_runs", {
    ...inClient,
    body: { wave_id: wave.id, period_end_date: PERIOD_END },
  }),
);
const inRun = { params: { path: { payment_run_id: run.id } } };
const [slip] = dataOf(await api.GET("/payment_runs/{payment_run_id}/payslips", inRun));
expect(slip !== undefined, "the run has a payslip");

const { payslip } = dataOf(
  await api.GET("/payslips/{payslip_id}", { params: { path: { payslip_id: slip.payslip.id } } }),
);
const income = new Map(payslip.income);
expect(income.get("basic_salary") === "4200.00", "the payslip has the salary");

dataOf(await api.POST("/payment_runs/{payment_run_id}/finalise", inRun));
dataOf(await api.POST("/payment_runs/{payment_run_id}/release", inRun));
const finalised = dataOf(await api.GET("/payment_runs/{payment_run_id}", inRun));
expect(finalised.payment_run.state === "finalised", "the run is finalised");

const [journal] = dataOf(await api.GET("/payment_runs/{payment_run_id}/accounting", inRun));
expect(journal !== undefined && journal.debit.length > 0, "the run has a journal");

const rows = dataOf(
  await api.POST("/clients/{client_id}/reports/{report}", {
    params: { path: { client_id: client.id, report: "transaction_history" } },
    body: { start_date: "2026-01-01", end_date: PERIOD_END },
  }),
);
expect(rows.length === 1, "the report has a row");

const filings = dataOf(
  await api.GET("/clients/{client_id}/filings/{month}", {
    params: { path: { client_id: client.id, month: "2026-01" } },
  }),
);
expect(filings.length > 0, "the month has filings");

const stale = await api.PATCH("/employees/{employee_id}", {
  params: { ...inEmployee.params, header: { "If-Match": '"another version"' } },
  body: { employee: { job_title: "Supervisor" } },
});
expect(stale.response.status === 412 && stale.error?.status === 412, "a stale write is rejected");

const point = dataOf(await api.POST("/clients/{client_id}/pay_points", { ...inClient, body: { name: "Office" } }));
dataOf(await api.DELETE("/pay_points/{pay_point_id}", { params: { path: { pay_point_id: point.id } } }));
const changes = dataOf(
  await api.GET("/clients/{client_id}/pay_points", {
    params: { ...inClient.params, query: { updated_since: "2026-01-01T00:00:00+08:00" } },
  }),
);
for (const { pay_point } of changes) {
  if ("deleted_at" in pay_point) expect(pay_point.deleted && pay_point.id === point.id, "the deleted pay point");
  else expect(pay_point.name.length > 0, "the other pay points have a name");
}
expect(changes.length > 0, "the changes include the deleted pay point");

const me = dataOf(await api.GET("/me"));
const log = dataOf(
  await api.GET("/clients/{client_id}/audit_log", {
    params: { ...inClient.params, query: { record_type: "payment_runs", per_page: 10 } },
  }),
);
expect(
  log.every(({ audit_entry }) => audit_entry.user_id === me.user.id),
  "the audit log names the user",
);

console.log(JSON.stringify({ client_id: client.id, employee_id: hired.id, payment_run_id: run.id }));
