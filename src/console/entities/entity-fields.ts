import type { Html } from '../../pages/html.ts';
import type { ApiRoute } from '../api.ts';
import { type Faults, faultsOf } from '../parts/faults.ts';
import { field, tick } from '../parts/form-parts.ts';
import { keepOthersChanges, openedField } from '../parts/opened-values.ts';
import type { ConsoleRequest, RefusedForm } from '../route.ts';

/** A form field for one member of an operation's body. */
interface Field {
  name: string;
  label: string;
  hint?: string;
  /** `lines`: a list, one item per line. */
  kind?: 'text' | 'password' | 'number' | 'color' | 'choice' | 'tick' | 'lines' | 'json' | 'css';
  options?: readonly (readonly [string, string])[];
  /** May be empty: the member is then omitted when the entity is created, and cleared when it is edited. */
  isOptional?: boolean;
  /** For secrets, which are never shown: an empty field keeps the stored value. */
  isKeptWhenEmpty?: boolean;
  /** Instruction for a value of the wrong format. */
  format?: string;
  /** Limits the field to one of the two forms. */
  on?: 'create' | 'change';
  /** Initial value in the form of a new entity. */
  initial?: string;
}

/** The members of a body, and those of its objects after a dot. */
type MemberOf<Body> = Body extends object
  ? { [K in keyof Body & string]: K | `${K}.${keyof NonNullable<Body[K]> & string}` }[keyof Body & string]
  : never;

/** A form field for a member of this body. Dots lead into objects: `oidcClientMetadata.redirectUris`. */
export interface EntityField<Body> extends Field {
  name: MemberOf<Body>;
}

type Values = Record<string, unknown>;

const valueAt = (value: unknown, name: string): unknown =>
  name.split('.').reduce<unknown>((at, part) => (at as Values | null | undefined)?.[part], value);

function setValueAt(target: Values, name: string, value: unknown): void {
  const parts = name.split('.');
  const last = parts.pop() as string;
  let at = target;
  for (const part of parts) {
    at[part] ??= {};
    at = at[part] as Values;
  }
  at[last] = value;
}

function textOf(value: unknown, { kind, initial = '' }: Field): string {
  if (value === undefined || value === null) return kind === 'json' ? '{}' : initial;
  if (kind === 'lines') return (value as string[]).join('\n');
  return kind === 'json' ? JSON.stringify(value, null, 2) : String(value);
}

function render(each: Field, text: string, faults: Faults): Html {
  const { name, label, hint, kind, options, isOptional, format } = each;
  if (kind === 'tick') return tick(name, label, hint, text === 'true');
  const isLarge = kind === 'json' || kind === 'lines' || kind === 'css';
  return field({
    name,
    label,
    hint,
    isOptional,
    options,
    format,
    value: text,
    faults,
    lines: kind === 'css' ? 10 : isLarge ? 4 : undefined,
    isMono: isLarge,
    type: kind === 'number' || kind === 'password' || kind === 'color' ? kind : 'text',
  });
}

/** Returns an entity's values as its form has them. A checkbox that is not ticked has none. */
function textsOf(fields: readonly Field[], entity: object): URLSearchParams {
  const texts = new URLSearchParams();
  for (const each of fields) {
    const text = textOf(valueAt(entity, each.name), each);
    if (each.kind !== 'tick' || text === 'true') texts.append(each.name, text);
  }
  return texts;
}

/** Fields whose values a form shows. */
const shown = (fields: readonly Field[]): Field[] => fields.filter(({ kind }) => kind !== 'password');

/** Returns the inputs of a form, filled with the submitted values if it was refused, or else with the stored ones. */
export function fieldsOf(fields: readonly Field[], entity: object | undefined, refused?: RefusedForm): Html[] {
  const faults = faultsOf(refused);
  const inputs = fields.map((each) => {
    const typed = refused && each.kind !== 'password' ? (refused.values.get(each.name) ?? '') : undefined;
    return render(each, typed ?? textOf(valueAt(entity, each.name), each), faults);
  });
  if (!entity) return inputs;
  const names = shown(fields).map(({ name }) => name);
  return [openedField(names, textsOf(shown(fields), entity), refused?.values), ...inputs];
}

/**
 * Keeps what others changed while the form was open.
 *
 * @param route the operation that changes the entity
 * @param entity as it is stored now
 * @throws 422 `entity.invalid_input` for fields that both changed
 */
export const keepChangesOf = (
  request: ConsoleRequest,
  route: ApiRoute,
  fields: readonly Field[],
  entity: object,
): Promise<void> => keepOthersChanges(request, route, textsOf(shown(fields), entity));

/** Returns invalid JSON as it is: the operation refuses it together with the other fields. */
function parsed({ kind }: Field, text: string): unknown {
  if (kind === 'lines')
    return text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter(Boolean);
  if (kind === 'number') return Number(text);
  if (kind !== 'json') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the submitted form as the body of an operation. The compiler checks its names, the operation its values. */
export function bodyOf<Body>(fields: readonly EntityField<Body>[], sent: URLSearchParams, isNew: boolean): Body {
  const body: Values = {};
  for (const each of fields) {
    const given = sent.get(each.name) ?? '';
    const text = each.kind === 'password' ? given : given.trim();
    if (each.kind === 'tick') setValueAt(body, each.name, text === 'true');
    else if (text !== '' || each.kind === 'lines') setValueAt(body, each.name, parsed(each, text));
    else if (each.isKeptWhenEmpty) continue;
    else if (!isNew && each.isOptional && each.kind !== 'number') setValueAt(body, each.name, null);
    else if (!each.isOptional && each.kind !== 'number') setValueAt(body, each.name, '');
  }
  return body as Body;
}
