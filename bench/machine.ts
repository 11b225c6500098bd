// The machine in words that tell how fast it is and nothing of whose it is.
import { availableParallelism, cpus, release, totalmem, type } from "node:os";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
}

export function thisMachine(): Machine {
  const model = cpus()[0]?.model ?? "unknown processor";
  return {
    cpu: model
      .replaceAll(/\((?:R|TM)\)/gi, "")
      .replaceAll(/\s+/g, " ")
      .trim(),
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    // What a distributor or a host appends to the version says nothing here.
    kernel: `${type()} ${/^[\d.]+\d/.exec(release())?.[0] ?? ""}`.trim(),
    node: process.version,
  };
}

export function describeMachine({ cpu, cores, memoryGiB, kernel, node }: Machine): string {
  return `${cpu}, ${cores} ${cores === 1 ? "core" : "cores"}, ${memoryGiB} GiB, ${kernel}, Node ${node}`;
}

/** For file names: the processor and the number of cores. */
export function machineSlug({ cpu, cores }: Machine): string {
  const words = cpu.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return [...words.filter((word) => word !== "processor" && word !== "cpu"), `${cores}-cores`].join("-");
}
