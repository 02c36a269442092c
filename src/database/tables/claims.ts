import type { Identified, Json, Owned } from './row.ts';

/** Rows of scripts and their runs. */

export type TokenType = 'access-token' | 'client-credentials';

export interface ScriptVersionRow extends Owned {
  tokenType: TokenType;
  number: number;
  script: string;
  sha256: string;
  environmentEncrypted: string | null;
  tokenSample: Json | null;
  contextSample: Json | null;
  blockIssuanceOnError: boolean;
  recordInputs: boolean;
  authorId: string;
  createdAt: number;
}

export interface ActiveScriptRow extends Owned {
  tokenType: TokenType;
  number: number;
}

export interface ScriptRunRow extends Identified {
  tokenType: TokenType;
  number: number;
  result: string;
  message: string | null;
  wallMs: number;
  cpuMs: number;
  droppedClaims: string[];
  console: { level: string; text: string }[];
  userId: string | null;
  jti: string | null;
  inputEncrypted: string | null;
  createdAt: number;
}
