// Passkeys: asks the browser for one when a form with data-passkey is sent, and sends the form with its answer.
"use strict";

const toBytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
const toText = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const withBytes = (credentials) => credentials?.map((credential) => ({ ...credential, id: toBytes(credential.id) }));

const askBrowser = async (action, options) => {
  const publicKey = { ...options, challenge: toBytes(options.challenge) };
  if (action === "create") {
    publicKey.user = { ...options.user, id: toBytes(options.user.id) };
    publicKey.excludeCredentials = withBytes(options.excludeCredentials);
    return navigator.credentials.create({ publicKey });
  }
  publicKey.allowCredentials = withBytes(options.allowCredentials);
  return navigator.credentials.get({ publicKey });
};

const describe = (credential) => {
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (credential.response[name]) response[name] = toText(credential.response[name]);
  }
  if (credential.response.getTransports) response.transports = credential.response.getTransports();
  return JSON.stringify({ id: credential.id, rawId: toText(credential.rawId), type: credential.type, response, clientExtensionResults: {} });
};

const loadOptions = async (form) => {
  const headers = { accept: "application/json", "x-form-token": form.elements.form_token.value };
  const response = await fetch(form.dataset.options, { method: "POST", headers });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
};

const MESSAGES = {
  NotAllowedError: "The passkey was not used. Try again, or choose another way.",
  InvalidStateError: "This device has already been added.",
};

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const message = form.querySelector("[data-passkey-message]");
  if (!window.PublicKeyCredential) continue;
  form.hidden = false;
  for (const alternative of document.querySelectorAll("[data-without-passkey]")) alternative.hidden = true;
  form.addEventListener("submit", async (event) => {
    if (form.elements.credential.value) return; // The browser has answered: send the form.
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    message.hidden = true;
    try {
      form.elements.credential.value = describe(await askBrowser(form.dataset.passkey, await loadOptions(form)));
    } catch (error) {
      message.textContent = MESSAGES[error.name] ?? error.message;
      message.hidden = false;
    }
    button.disabled = false;
    if (form.elements.credential.value) form.requestSubmit();
  });
  addEventListener("pageshow", () => { form.elements.credential.value = ""; });
}
