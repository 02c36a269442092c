/** Said by oidc-provider of any Node without an LTS name, although it is newer than the one it asks for. */
const UNSUPPORTED_RUNTIME = 'oidc-provider WARNING: Unsupported runtime.';

const { warn } = console;

/** Loaded before everything else: a stranger's first line should not be a false alarm. Every other warning passes. */
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes(UNSUPPORTED_RUNTIME)) warn(...words);
};

/** Once the library is loaded it has said what it says. */
export function expectNoMore(): void {
  console.warn = warn;
}
