import Type, { type Static } from 'typebox';
import { Nullable } from '../../entities.ts';

/** Types of what is found by its name. */
export const NAMED = ['user', 'application', 'organization', 'role', 'resource', 'webhook'] as const;
/** Types of what has an id only. */
const UNNAMED = ['impersonation', 'token', 'delivery', 'log', 'script-run'] as const;

export const MatchSchema = Type.Object({
  type: Type.Enum([...NAMED, ...UNNAMED]),
  id: Type.String(),
  name: Type.String(),
  about: Nullable(Type.String()),
  parentId: Nullable(
    Type.String({ description: 'Webhook of a delivery, token type of a script run, user of a token; otherwise null' }),
  ),
});
export type Match = Static<typeof MatchSchema>;
