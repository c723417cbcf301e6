// Shows the description of the interface and sends requests. Everything is put into the page as text,
// never as markup.
"use strict";

const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element[key] = value;
  element.append(...children.filter((child) => child != null));
  return element;
};

let schemas = {};
const resolve = (schema) =>
  schema?.$ref ? schemas[schema.$ref.split("/").pop()] ?? {} : schema ?? {};

const type = (schema) => {
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.anyOf || schema.oneOf) return (schema.anyOf ?? schema.oneOf).map(type).join(" | ");
  if (schema.type === "array") return `${type(schema.items ?? {})}[]`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(" | ");
  return [schema.type ?? "any"].flat().join(" | ");
};

const fields = (schema) => {
  const { properties = {}, required = [] } = resolve(schema);
  const rows = Object.entries(properties).map(([name, field]) =>
    make("tr", {},
      make("td", {}, make("code", { textContent: name }), required.includes(name) ? " *" : ""),
      make("td", { textContent: type(field) }),
      make("td", { textContent: field.description ?? resolve(field).description ?? "" })));
  return rows.length ? make("table", {}, ...rows) : null;
};

const example = (schema) => {
  const { properties = {}, required = [] } = resolve(schema);
  const one = (field) => {
    const { type: kind, enum: words } = resolve(field);
    if (words) return words[0];
    return { string: "", integer: 0, number: 0, boolean: false, array: [], object: {} }[[kind].flat()[0]] ?? null;
  };
  const body = Object.fromEntries(required.map((name) => [name, one(properties[name])]));
  if ("code" in body) body.code = "print(1 + 1)";
  return JSON.stringify(body, null, 2);
};

const send = async (method, path, inputs, body, shown) => {
  const query = new URLSearchParams();
  const headers = {};
  for (const [parameter, input] of inputs) {
    if (parameter.in === "path") {
      const parts = input.value.split("/").map(encodeURIComponent);
      path = path.replace(`{${parameter.name}}`, parts.join("/"));
    } else if (input.value && parameter.in === "query") query.set(parameter.name, input.value);
    else if (input.value) headers[parameter.name] = input.value;
  }
  const key = document.getElementById("key").value;
  if (key) headers.authorization = `Bearer ${key}`;
  if (body) headers["content-type"] = "application/json";
  const address = query.size ? `${path}?${query}` : path;
  shown.textContent = "…";
  const begun = performance.now();
  const answer = await fetch(address, { method, headers, body: body?.value });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const show = () => {
    const ms = (performance.now() - begun).toFixed(1);
    let told = text;
    try { told = JSON.stringify(JSON.parse(text), null, 2); } catch { /* It is no JSON, or not yet. */ }
    shown.textContent = `${answer.status} in ${ms} ms\n\n${told}`;
  };
  show();
  for (let part; reader && !(part = await reader.read()).done; show()) text += part.value;
};

const operation = (method, path, described) => {
  const inputs = (described.parameters ?? []).map((parameter) => [
    parameter,
    make("input", { placeholder: parameter.description ?? "" }),
  ]);
  const schema = described.requestBody?.content["application/json"]?.schema;
  const body = schema && make("textarea", { value: example(schema), spellcheck: false });
  const shown = make("pre", { textContent: "" });
  const button = make("button", { textContent: "Send", type: "button" });
  button.onclick = () => send(method, path, inputs, body, shown).catch((error) => {
    shown.textContent = String(error);
  });
  const answers = Object.entries(described.responses).map(([status, answer]) =>
    make("tr", {},
      make("td", {}, make("code", { textContent: status })),
      make("td", { textContent: answer.description }),
      make("td", { textContent: Object.entries(answer.content ?? {}).map(([media, content]) =>
        `${media}${content.schema ? `: ${type(content.schema)}` : ""}${
          content["x-itemSchema"] ? `: stream of ${type(content["x-itemSchema"])}` : ""}`).join(", ") })));
  return make("details", {},
    make("summary", {}, make("span", { className: "method", textContent: method }),
      make("code", { textContent: path }), ` ${described.summary}`),
    described.description ? make("p", { textContent: described.description }) : null,
    ...inputs.map(([parameter, input]) => make("label", {}, `${parameter.name} (${parameter.in}) `, input)),
    body ? make("label", {}, "body ", body) : null,
    schema ? fields(schema) : null,
    button, shown, make("table", {}, ...answers));
};

const load = async () => {
  const described = await (await fetch("/openapi.json")).json();
  schemas = described.components.schemas;
  const groups = new Map();
  for (const [path, methods] of Object.entries(described.paths)) {
    for (const [method, one] of Object.entries(methods)) {
      const group = groups.get(one.tags[0]) ?? [];
      group.push(operation(method.toUpperCase(), path, one));
      groups.set(one.tags[0], group);
    }
  }
  const all = [...groups].flatMap(([name, group]) => [make("h2", { textContent: name }), ...group]);
  document.getElementById("operations").replaceChildren(...all);
};

load().catch((error) => {
  document.getElementById("operations").textContent = `The reference cannot be shown: ${error}`;
});
