/** A request that cannot be carried out as it is: said in the answer, by the field that is at fault. */
export class Refused extends Error {
  override readonly name = "Refused";

  /** `field` as a path, such as `provider_config.image`; null: the request as a whole. Never a value that may be a secret. */
  constructor(field: string | null, message: string) {
    super(field === null ? message : `${field}: ${message}`);
  }
}
