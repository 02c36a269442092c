import type { Result } from '../../../api.ts';

export type ApplicationType = Result<'GET /applications/:id'>['type'];

/** The values of an application that its quick starts contain. */
export interface Start {
  issuer: string;
  clientId: string;
  redirectUri: string;
  /** Machine-to-machine only: the resource and scopes that the token is for. */
  resource: string;
  scope: string;
}

/** A file to create, or commands to run. */
interface Block {
  /** Name of the file; undefined for commands. */
  file?: string;
  code: string;
}

/** The code of one language for one type of application. */
export interface Snippet {
  /** Installs the libraries. */
  install?: string;
  blocks: Block[];
}

export interface Language {
  /** Value in the URL. */
  id: string;
  name: string;
  /** Types of applications without a function have no code in this language. */
  snippets: Partial<Record<ApplicationType, (start: Start) => Snippet>>;
}

/** Scopes of a user's sign-in. */
export const SIGN_IN_SCOPE = 'openid profile email';

/**
 * A string literal of JavaScript, TypeScript, Python and Go. Values of an application are text that others chose, so they
 * never appear outside a literal.
 */
export const literal = (text: string): string =>
  JSON.stringify(text).replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** True for a local trial without TLS, which libraries refuse unless they are told. */
export const isInsecure = ({ issuer }: Start): boolean => issuer.startsWith('http:');
