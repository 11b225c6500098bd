/** The building blocks of the declaration's shape: texts with a check of their own, strict objects that suggest, described fields. */
import { agentNamePattern, catalogNamePattern, variablePattern } from "@moorage/core";
import * as z from "zod/mini";
import { didYouMean } from "../text/did-you-mean.ts";
import { durationPattern, parseDuration } from "../text/duration.ts";
import type { Fault } from "./names.ts";
import { catalogNameFault, envKeyFault, envValueFault, nameFault } from "./names.ts";

/** Separates message and remedy in the one text that an issue can carry. */
const separator = "\u0000";

/** Message and remedy in one text. */
function faultText({ message, hint }: Fault): string {
  return `${message}${separator}${hint}`;
}

/** The two parts again; undefined for a text that no check of ours wrote. */
export function faultOfText(text: string): Fault | undefined {
  const [message, hint] = text.split(separator);
  return message === undefined || hint === undefined ? undefined : { message, hint };
}

/** A checked text. */
export type Text = z.ZodMiniType<string, string>;

/** A text with a check of its own; `more` is what the JSON Schema says beside it. */
export function text(
  description: string,
  check: (value: string) => Fault | null,
  more: object = {},
  otherType: (value: unknown) => Fault | undefined = () => undefined,
): Text {
  const error = ({ input }: { readonly input: unknown }): string | undefined => {
    const fault = otherType(input);
    return fault === undefined ? undefined : faultText(fault);
  };
  return z.string({ error }).check(
    (context) => {
      const fault = check(context.value);
      if (fault === null) return;
      context.issues.push({ code: "custom", input: context.value, message: faultText(fault), continue: true });
    },
    z.meta({ description, ...more }),
  );
}

export function nameText(description: string): Text {
  return text(description, nameFault, { pattern: agentNamePattern });
}

export function catalogNameText(description: string): Text {
  return text(description, catalogNameFault, { pattern: catalogNamePattern });
}

export function envKeyText(description: string): Text {
  return text(description, envKeyFault, { pattern: variablePattern });
}

/** A duration was meant, and a bare number is there. */
function bareNumber(value: unknown): Fault | undefined {
  if (typeof value !== "number") return undefined;
  const parsed = parseDuration(String(value));
  return parsed.kind === "mistake" ? parsed : undefined;
}

export function durationText(description: string): Text {
  const check = (value: string): Fault | null => {
    const parsed = parseDuration(value);
    return parsed.kind === "mistake" ? parsed : null;
  };
  return text(description, check, { pattern: durationPattern }, bareNumber);
}

/** A duration, or one word in its place. */
export function durationOr(word: string, description: string): Text {
  const check = (value: string): Fault | null => {
    if (value === word) return null;
    const parsed = parseDuration(value);
    return parsed.kind === "mistake" ? { message: parsed.message, hint: `${parsed.hint}; or ${word}` } : null;
  };
  return text(description, check, { pattern: `^${word}$|${durationPattern}` }, bareNumber);
}

function nonEmptyFault(value: string): Fault | null {
  if (value === "") return { message: "is empty", hint: "write a text, or leave the key out" };
  return nulFault(value);
}

function nulFault(value: string): Fault | null {
  return value.includes("\0") ? { message: "has a NUL character in it", hint: "remove it" } : null;
}

/** Any text without NUL, the empty one too. */
export function anyText(description: string): Text {
  return text(description, nulFault);
}

export function nonEmptyText(description: string): Text {
  return text(description, nonEmptyFault, { minLength: 1 });
}

/** A path; relative ones are relative to the declaration's folder. */
export function pathOf(description: string): Text {
  return text(`${description}. Relative to this file`, nonEmptyFault, { minLength: 1 });
}

/** Keys of an environment with plain values. */
export function environment(description: string): z.ZodMiniType<Record<string, string>> {
  return z.record(envKeyText("name of the variable"), z.string()).check((context) => {
    for (const [key, value] of Object.entries(context.value)) {
      const fault = typeof value === "string" ? envValueFault(key, value) : null;
      if (fault === null) continue;
      context.issues.push({ code: "custom", input: "", path: [key], message: faultText(fault), continue: true });
    }
  }, z.meta({ description }));
}

/** One of several words. */
export function oneOf<const W extends string>(words: readonly [W, ...W[]], description: string): z.ZodMiniType<W> {
  const shape = z.enum(words, {
    error: ({ input }) => {
      const given = typeof input === "string" ? JSON.stringify(input) : "this";
      const meant = typeof input === "string" ? didYouMean(input, words) : undefined;
      const hint = meant === undefined ? `write one of: ${words.join(", ")}` : `did you mean ${meant}?`;
      return faultText({ message: `${given} is not one of its words`, hint });
    },
  });
  return shape.check(z.meta({ description }));
}

/** One value and no other. */
export function only<const V extends string | boolean>(value: V, fault: Fault, description: string): z.ZodMiniType<V> {
  return z.literal(value, { error: () => faultText(fault) }).check(z.meta({ description }));
}

export function yesOrNo(description: string): z.ZodMiniType<boolean> {
  return z.boolean().check(z.meta({ description }));
}

/** A whole number from 0 on. */
export function count(description: string): z.ZodMiniType<number> {
  const error = (): string => faultText({ message: "is no version or count", hint: "write a whole number from 0 on" });
  return z.int({ error }).check(z.nonnegative({ error }), z.meta({ description }));
}

/** A whole number from 1 on, with a bound that nobody means to reach. */
export function someOf(description: string): z.ZodMiniType<number> {
  const error = (): string => faultText({ message: "is no count", hint: "write a whole number from 1 to 1000" });
  return z.int({ error }).check(z.minimum(1, { error }), z.maximum(1000, { error }), z.meta({ description }));
}

/** A list; `least` is how many it has at least. */
export function listOf<T>(item: z.ZodMiniType<T>, description: string, least = 0): z.ZodMiniType<T[]> {
  const error = (): string =>
    faultText({ message: "the list is empty", hint: "write at least one, or leave the key out" });
  const list = z.array(item);
  return (least === 0 ? list : list.check(z.minLength(least, { error }))).check(z.meta({ description }));
}

/** An object that knows all of its keys: any other is refused, with the one that was meant. */
export function strict<const S extends z.core.$ZodShape>(
  shape: S,
  description: string,
  exactlyOne: readonly (keyof S & string)[] = [],
): z.ZodMiniType<z.infer<z.ZodMiniObject<S, z.core.$strict>>> {
  const object = z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? JSON.stringify(Object.keys(shape)) : undefined),
  });
  return object.check((context) => {
    const fault = exactlyOne.length === 0 ? null : choiceFault(context.value, exactlyOne);
    if (fault === null) return;
    context.issues.push({ code: "custom", input: "", message: faultText(fault), continue: true });
  }, z.meta({ description }));
}

function choiceFault(value: object, keys: readonly string[]): Fault | null {
  const given = keys.filter((key) => (value as Record<string, unknown>)[key] !== undefined);
  if (given.length === 1) return null;
  const list = keys.join(", ");
  return given.length === 0
    ? { message: `has none of: ${list}`, hint: `write one of: ${list}` }
    : { message: `has ${given.join(" and ")} at once`, hint: "keep one of them" };
}
