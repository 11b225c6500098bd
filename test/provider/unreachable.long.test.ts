// A cluster that nobody reaches: told after half a minute, and what was sent to it is nowhere in the answer.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openApiServer, writeKubeconfig } from "./api-server.ts";
import { type Desktop, openDesktop, refusalOf } from "./desktop.ts";
import { deployRequest, secretValues } from "./request.ts";

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

test("an address where nobody listens", async () => {
  const server = await openApiServer(null);
  await server.close();
  writeKubeconfig(desktop.home, server.address);
  const error = refusalOf(await desktop.ask(deployRequest()), secretValues);
  expect(error).toContain(server.address);
  expect(error).toMatch(/check the network, the kubeconfig and what it needs/);
});

test("a server that accepts and never answers", async () => {
  const server = await openApiServer(null);
  writeKubeconfig(desktop.home, server.address);
  try {
    const error = refusalOf(await desktop.ask(deployRequest()), secretValues);
    expect(error).toContain(server.address);
    expect(server.asked.every((one) => one.startsWith("GET "))).toBe(true);
  } finally {
    await server.close();
  }
});
