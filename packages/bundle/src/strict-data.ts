/** Data by the name of its file: JSON and YAML read strictly, whatever else holds none. */
import type { DocumentNode } from "./document.ts";
import { strictJson } from "./strict-json.ts";
import { strictYaml } from "./strict-yaml.ts";
import { extensionOf } from "./text-file.ts";

/** The documents of a text, one of JSON; null for a file that holds no data. Throws a `DocumentFault`. */
export function strictData(path: string, text: string): readonly DocumentNode[] | null {
  switch (extensionOf(path)) {
    case "json":
      return [strictJson(text)];
    case "yaml":
    case "yml":
      return strictYaml(text);
    default:
      return null;
  }
}
