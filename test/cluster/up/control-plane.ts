/** The parts that run once: etcd, API server, controllers, scheduler, registry. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { adminRequest } from "./admin.ts";
import type { Layout } from "./layout.ts";
import { tokens } from "./layout.ts";
import { startPart } from "./part.ts";
import { makePki, writeKubeconfig } from "./pki.ts";
import { until } from "./run.ts";

export async function startControlPlane(layout: Layout, binary: string, apiFlags: readonly string[]): Promise<void> {
  const { dir, etcdPort, etcdPeerPort, gateway, apiPort, serviceRange } = layout;
  const pki = makePki(layout);
  const admin = writeKubeconfig(layout, "admin", tokens.admin);
  writeKubeconfig(layout, "nobody", tokens.nobody);
  const etcd = `http://127.0.0.1:${etcdPort}`;
  startPart(dir, "etcd", [
    binary,
    "etcd",
    `--data-dir=${join(dir, "etcd")}`,
    "--unsafe-no-fsync",
    `--log-level=warn`,
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    `--listen-peer-urls=http://127.0.0.1:${etcdPeerPort}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${etcdPeerPort}`,
    `--initial-cluster=default=http://127.0.0.1:${etcdPeerPort}`,
  ]);
  startPart(dir, "apiserver", [
    binary,
    "kube-apiserver",
    `--etcd-servers=${etcd}`,
    `--secure-port=${apiPort}`,
    "--bind-address=0.0.0.0",
    `--advertise-address=${gateway}`,
    `--tls-cert-file=${pki.certificate}`,
    `--tls-private-key-file=${pki.key}`,
    `--cert-dir=${join(dir, "pki", "made")}`,
    `--token-auth-file=${pki.tokens}`,
    `--client-ca-file=${pki.authority}`,
    `--service-account-key-file=${pki.signingPublic}`,
    `--service-account-signing-key-file=${pki.signingKey}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-cluster-ip-range=${serviceRange}`,
    "--authorization-mode=Node,RBAC",
    "--enable-admission-plugins=NodeRestriction",
    "--kubelet-preferred-address-types=InternalIP",
    // Namespaces with thousands of pods are taken away again.
    "--delete-collection-workers=8",
    ...apiFlags,
  ]);
  startRegistry(layout);
  await until("the API server is ready", async () => (await adminRequest(layout, "GET", "/readyz")).status === 200);
  const common = [`--kubeconfig=${admin}`, "--leader-elect=false", "--bind-address=127.0.0.1"];
  startPart(dir, "controllers", [
    binary,
    "kube-controller-manager",
    ...common,
    `--secure-port=${layout.controllersPort}`,
    `--cert-dir=${join(dir, "pki", "made")}`,
    `--service-account-private-key-file=${pki.signingKey}`,
    `--root-ca-file=${pki.authority}`,
    // Twice as quick as the default: tests wait for nodes to be found lost.
    "--node-monitor-grace-period=20s",
  ]);
  startPart(dir, "scheduler", [
    binary,
    "kube-scheduler",
    ...common,
    `--secure-port=${layout.schedulerPort}`,
    `--cert-dir=${join(dir, "pki", "made")}`,
  ]);
}

function startRegistry(layout: Layout): void {
  const path = join(layout.dir, "registry.json");
  const config = {
    version: "0.1",
    storage: { filesystem: { rootdirectory: join(layout.dir, "registry") } },
    http: { addr: `0.0.0.0:${layout.registryPort}` },
  };
  // JSON is YAML too.
  writeFileSync(path, JSON.stringify(config));
  startPart(layout.dir, "registry", ["docker-registry", "serve", path]);
}
