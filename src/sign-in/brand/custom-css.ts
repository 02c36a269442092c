import { ServiceError } from '../../errors.ts';

export const MAX_CSS_LENGTH = 16_384;

/** Properties by what they change. None of them can hide, move or cover anything. */
const GROUPS = {
  background: ['background', 'background-color', 'background-image'],
  border: ['border', 'border-color', 'border-style', 'border-width', 'border-radius', 'box-shadow'],
  space: ['padding', 'padding-top', 'padding-right', 'padding-bottom', 'padding-left', 'gap'],
  type: ['font-family', 'font-size', 'font-style', 'font-weight', 'letter-spacing', 'text-align', 'text-transform'],
  color: ['color', 'text-decoration-color', 'text-decoration-line'],
} as const;
type Group = keyof typeof GROUPS;

/**
 * The elements that custom CSS can change, and what of each. Colors of texts inside the card are not among them, so that
 * a user can always read where they sign in and why something was refused.
 */
const ELEMENTS: Readonly<Record<string, readonly Group[]>> = {
  '.page': ['background', 'space'],
  '.brand': ['type', 'color'],
  '.card': ['border', 'space'],
  h1: ['type'],
  label: ['type'],
  input: ['border', 'space'],
  '.button': ['border', 'space', 'type'],
  '.links': ['type', 'space'],
  '.footer': ['type', 'color'],
};

const STATES = ['', ':hover', ':focus-visible', ':active'];
const FUNCTIONS = ['rgb', 'rgba', 'hsl', 'hsla', 'oklch', 'linear-gradient', 'radial-gradient'];
const MEDIA = /^@media \((?:prefers-color-scheme: ?(?:light|dark)|(?:min|max)-width: ?\d{1,4}px)\)$/;

/** Fonts with letters. A font of symbols would make every text unreadable. */
const FONTS =
  'system-ui sans-serif serif monospace ui-rounded ui-serif arial helvetica verdana georgia palatino times cambria calibri roboto inter figtree'.split(
    ' ',
  );

/** Words whose effect is not a look: an inner shadow could cover the text of its element. */
const REFUSED_WORDS = ['inset', 'inherit', 'initial', 'unset', 'revert', 'revert-layer', 'transparent'];

/** The largest number for each unit. */
const LIMITS: Readonly<Record<string, number>> = { px: 64, rem: 4, em: 4, '%': 100, deg: 360, '': 1000 };
const FONT_SIZES: Readonly<Record<string, readonly [number, number]>> = { px: [12, 48], rem: [0.75, 3] };

/** @throws 400 `guard.invalid_input` */
function refuse(why: string): never {
  throw new ServiceError('guard.invalid_input', { details: `body.customCss: ${why}` });
}

function checkNumber(property: string, number: number, unit: string): void {
  const [least, most] =
    property === 'font-size'
      ? (FONT_SIZES[unit] ?? refuse('font-size must be in px or rem'))
      : [property === 'letter-spacing' ? -2 : property === 'box-shadow' ? -64 : 0, LIMITS[unit] ?? -1];
  const isInRange = number >= least && number <= most && (property !== 'letter-spacing' || number <= 8);
  if (!isInRange) refuse(`${number}${unit} is not allowed for ${property}`);
}

function checkValue(property: string, value: string): void {
  if (!/^[a-z0-9#.,%()\-+/ ]+$/.test(value)) refuse(`the value of ${property} has a character that is not allowed`);
  const tokens = value.match(/#?[a-z0-9.%+-]+\(?|[(),/]/g) ?? [];
  const isWhole = tokens.join('') === value.replaceAll(' ', '');
  if (!isWhole || value.split('(').length !== value.split(')').length) refuse(`the value of ${property} is not valid`);
  for (const token of tokens) {
    if (/^[(),/]$/.test(token) || /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/.test(token)) continue;
    const [, number, unit = ''] = /^([+-]?(?:\d{1,5}(?:\.\d{1,5})?|\.\d{1,5}))(px|rem|em|%|deg)?$/.exec(token) ?? [];
    if (number !== undefined) checkNumber(property, Number(number), unit);
    else if (token.endsWith('(') && FUNCTIONS.includes(token.slice(0, -1))) continue;
    else if (!/^[a-z][a-z-]{0,30}$/.test(token) || REFUSED_WORDS.includes(token))
      refuse(`“${token}” is not allowed for ${property}`);
    else if (property === 'font-family' && !FONTS.includes(token)) refuse(`the font “${token}” is not allowed`);
  }
}

function declarationsOf(element: string, text: string): string {
  const allowed: readonly string[] = (ELEMENTS[element] ?? []).flatMap((group) => GROUPS[group]);
  const lines = text.split(';').map((line) => line.trim());
  const declarations = lines.filter(Boolean).map((line) => {
    const at = line.indexOf(':');
    const [property, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    if (at < 0 || !allowed.includes(property)) refuse(`“${line.slice(0, 60)}” is not allowed for ${element}`);
    checkValue(property, value);
    return `${property}:${value}`;
  });
  return declarations.join(';');
}

/** Limits every selector to pages with the tenant's look. Pages that ask for consent do not have this class. */
function ruleOf(selectors: string, body: string): string {
  const elements = selectors.split(',').map((selector) => selector.trim());
  const rules = elements.map((selector) => {
    const state = STATES.find(
      (state) => Object.hasOwn(ELEMENTS, selector.slice(0, selector.length - state.length)) && selector.endsWith(state),
    );
    if (state === undefined) refuse(`the selector “${selector.slice(0, 60)}” is not allowed`);
    const element = selector.slice(0, selector.length - state.length);
    const scoped = element === '.page' ? `.page.custom${state}` : `.page.custom ${element}${state}`;
    return `${scoped}{${declarationsOf(element, body)}}`;
  });
  return rules.join('');
}

/** Splits `head{body}` pairs. `body` may contain one level of braces. */
function* blocksOf(text: string): Generator<[head: string, body: string]> {
  let rest = text.trim();
  while (rest !== '') {
    const open = rest.indexOf('{');
    if (open < 0) refuse('a “{” is missing');
    let depth = 1;
    let at = open + 1;
    for (; depth > 0; at += 1) {
      if (at >= rest.length) refuse('a “}” is missing');
      if (rest[at] === '{') depth += 1;
      if (rest[at] === '}') depth -= 1;
    }
    yield [rest.slice(0, open).trim(), rest.slice(open + 1, at - 1)];
    rest = rest.slice(at).trim();
  }
}

/** Removes comments; an open one is refused. */
function withoutComments(text: string): string {
  const [first = '', ...others] = text.split('/*');
  const rest = others.map((part) => {
    const end = part.indexOf('*/');
    return end < 0 ? refuse('a comment has no end') : ` ${part.slice(end + 2)}`;
  });
  return [first, ...rest].join('');
}

/**
 * Returns the style sheet of a tenant's custom CSS. Nothing of the source is passed on as it is: the result is built
 * from selectors, properties and values of lists. It can load nothing and hide nothing.
 *
 * @throws 400 `guard.invalid_input` naming the first part that is not allowed
 */
export function compileCss(source: string): string {
  const text = withoutComments(source).toLowerCase().replaceAll(/\s+/g, ' ');
  if (/[^ -~]|[\\<]/.test(text)) refuse('backslashes, “<” and letters outside ASCII are not allowed');
  const rules = [...blocksOf(text)].map(([head, body]) => {
    if (!head.startsWith('@')) return ruleOf(head, body);
    if (!MEDIA.test(head)) return refuse(`“${head.slice(0, 60)}” is not allowed`);
    return `${head}{${[...blocksOf(body)].map(([selectors, inner]) => ruleOf(selectors, inner)).join('')}}`;
  });
  return rules.join('\n');
}
