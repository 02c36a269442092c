/** oidc-provider prints this for every Node without an LTS name, even if it is newer than the required one. */
const UNSUPPORTED_RUNTIME = 'oidc-provider WARNING: Unsupported runtime.';

const { warn } = console;

/** Loaded before everything else, so that the first line a newcomer sees is not a false alarm. Other warnings pass. */
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes(UNSUPPORTED_RUNTIME)) warn(...words);
};

/** Restores `console.warn`. Called once the library is loaded, which is when it prints the warning. */
export function expectNoMore(): void {
  console.warn = warn;
}
