import { DAY_MS } from '../../base/times.ts';
import { cached, expiring, flag, id, json, key, number, of, orDefault, orNull, sealed, table, text } from './table.ts';

export type TokenType = 'access-token' | 'client-credentials';

const tokenType = of<TokenType>(text);

/** Claims scripts and their runs. */
export const scriptTables = {
  scriptVersions: cached({
    tokenType: key(tokenType),
    number: key(number),
    script: text,
    sha256: text,
    environmentEncrypted: orNull(sealed),
    tokenSample: orNull(json),
    contextSample: orNull(json),
    blockIssuanceOnError: flag,
    recordInputs: orDefault(flag, false),
    authorId: text,
    createdAt: number,
  }),
  activeScripts: cached({ tokenType: key(tokenType), number }),
  scriptRuns: table({
    id,
    tokenType,
    number,
    result: text,
    message: orNull(text),
    wallMs: number,
    cpuMs: number,
    droppedClaims: of<string[]>(json),
    console: of<{ level: string; text: string }[]>(json),
    userId: orNull(text),
    jti: orNull(text),
    inputEncrypted: orNull(sealed),
    createdAt: expiring(number, 30 * DAY_MS),
  }),
};
