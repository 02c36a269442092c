const snakeNames = new Map<string, string>();
const camelNames = new Map<string, string>();

/** Memoizes a conversion: identifiers are few, and every query converts all of its own. */
function remember(names: Map<string, string>, name: string, convert: (name: string) => string): string {
  let converted = names.get(name);
  if (converted === undefined) {
    converted = convert(name);
    names.set(name, converted);
  }
  return converted;
}

/** `accessTokenTtl` → `access_token_ttl` */
export const snakeCase = (name: string) =>
  remember(snakeNames, name, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
/** `access_token_ttl` → `accessTokenTtl` */
export const camelCase = (name: string) =>
  remember(camelNames, name, (name) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()));
