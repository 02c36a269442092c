import { ServiceError } from '../../errors.ts';
import { type Html, html } from '../../pages/html.ts';
import { type Faults, faultsOf } from '../parts/faults.ts';
import { field } from '../parts/form-parts.ts';
import type { Attempt } from '../route.ts';

/** A member of a thing, as its forms show and read it. Dots lead into objects: `oidcClientMetadata.redirectUris`. */
export interface ThingField {
  name: string;
  label: string;
  hint?: string;
  /** `lines`: a list, one a line. */
  kind?: 'text' | 'password' | 'number' | 'choice' | 'tick' | 'lines' | 'json';
  options?: readonly (readonly [string, string])[];
  /** May be left empty: then it is not sent with what is new, and cleared in what is there. */
  isOptional?: boolean;
  /** A secret that nobody reads back: what is left empty stays. */
  isKeptWhenEmpty?: boolean;
  /** Only on one of the two forms. */
  on?: 'create' | 'change';
  /** Of a new one. */
  initial?: string;
}

type Values = Record<string, unknown>;

const reach = (value: unknown, name: string): unknown =>
  name.split('.').reduce<unknown>((at, part) => (at as Values | null | undefined)?.[part], value);

function put(target: Values, name: string, value: unknown): void {
  const parts = name.split('.');
  const last = parts.pop() as string;
  let at = target;
  for (const part of parts) {
    at[part] ??= {};
    at = at[part] as Values;
  }
  at[last] = value;
}

function textOf(value: unknown, { kind, initial = '' }: ThingField): string {
  if (value === undefined || value === null) return kind === 'json' ? '{}' : initial;
  if (kind === 'lines') return (value as string[]).join('\n');
  return kind === 'json' ? JSON.stringify(value, null, 2) : String(value);
}

function render(each: ThingField, text: string, faults: Faults): Html {
  const { name, label, hint, kind, options, isOptional } = each;
  if (kind === 'tick') {
    const about = hint && html` aria-describedby="${name}-hint"`;
    return html`<div class="field"><label class="box"><input type="checkbox" name="${name}" value="true"${about}${text === 'true' && html` checked`}> <span>${label}</span></label>${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}</div>`;
  }
  const isLarge = kind === 'json' || kind === 'lines';
  return field({
    name,
    label,
    hint,
    isOptional,
    options,
    value: text,
    faults,
    lines: isLarge ? 4 : undefined,
    isMono: isLarge,
    type: kind === 'number' || kind === 'password' ? kind : 'text',
  });
}

/** The inputs of a form: with what was typed if it is shown again, else with what there is. */
export function fieldsOf(fields: readonly ThingField[], thing: Values | undefined, attempt?: Attempt): Html[] {
  const faults = faultsOf(attempt);
  return fields.map((each) => {
    const typed = attempt && each.kind !== 'password' ? (attempt.typed.get(each.name) ?? '') : undefined;
    return render(each, typed ?? textOf(reach(thing, each.name), each), faults);
  });
}

/** @throws 400 `guard.invalid_input` for JSON that is none, or numbers that are none */
function parsed({ name, kind }: ThingField, text: string): unknown {
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
    throw new ServiceError('guard.invalid_input', { details: `body.${name}: must be object` });
  }
}

/** What was typed, as the body of the row that takes it. The row validates. */
export function bodyOf(fields: readonly ThingField[], sent: URLSearchParams, isNew: boolean): Values {
  const body: Values = {};
  for (const each of fields) {
    const given = sent.get(each.name) ?? '';
    const text = each.kind === 'password' ? given : given.trim();
    if (each.kind === 'tick') put(body, each.name, text === 'true');
    else if (text !== '' || each.kind === 'lines') put(body, each.name, parsed(each, text));
    else if (each.isKeptWhenEmpty) continue;
    else if (!isNew && each.isOptional && each.kind !== 'number') put(body, each.name, null);
    else if (!each.isOptional && each.kind !== 'number') put(body, each.name, '');
  }
  return body;
}
