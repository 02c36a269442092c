import { ServiceError } from '../../errors.ts';

export const MAX_CSS_LENGTH = 16_384;

/** Properties by what they change. None of them can hide, move or cover anything. */
const GROUPS = {
  background: ['background', 'background-color', 'background-image'],
  border: ['border', 'border-color', 'border-style', 'border-width', 'border-radius'],
  shadow: ['box-shadow'],
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
  '.card': ['border', 'shadow', 'space'],
  h1: ['type'],
  label: ['type'],
  input: ['border', 'shadow', 'space'],
  '.button': ['border', 'shadow', 'space', 'type'],
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

/** The smallest and the largest number for each unit. */
type Limits = Readonly<Record<string, readonly [least: number, most: number]>>;

const LIMITS: Limits = { px: [0, 64], rem: [0, 4], em: [0, 4], '%': [0, 100], deg: [0, 360], '': [0, 1000] };
/** A padding in percent could leave no room for what is typed. */
const SPACE_LIMITS: Limits = { px: [0, 64], rem: [0, 4], em: [0, 4], '': [0, 0] };
const OWN_LIMITS: Readonly<Record<string, Limits>> = {
  ...Object.fromEntries(GROUPS.space.map((property) => [property, SPACE_LIMITS])),
  'font-size': { px: [12, 48], rem: [0.75, 3] },
  'letter-spacing': { px: [-2, 8], rem: [-0.1, 0.5], em: [-0.1, 0.5], '': [0, 0] },
  'box-shadow': { ...LIMITS, px: [-64, 64], rem: [-4, 4], em: [-4, 4] },
};
/** A larger shadow of an input or a button would cover the label and the refusal above it. */
const SHADOW_IN_CARD: Limits = { ...LIMITS, px: [-4, 4], rem: [-0.25, 0.25], em: [-0.25, 0.25] };

const limitsOf = (element: string, property: string): Limits =>
  property === 'box-shadow' && element !== '.card' ? SHADOW_IN_CARD : (OWN_LIMITS[property] ?? LIMITS);

/** @throws 400 `guard.invalid_input` */
function refuse(why: string): never {
  throw new ServiceError('guard.invalid_input', { details: `body.customCss: ${why}` });
}

function checkValue(element: string, property: string, value: string): void {
  if (!/^[a-z0-9#.,%()\-+/ ]+$/.test(value)) refuse(`the value of ${property} has a character that is not allowed`);
  const tokens = value.match(/#?[a-z0-9.%+-]+\(?|[(),/]/g) ?? [];
  const isWhole = tokens.join('') === value.replaceAll(' ', '');
  if (!isWhole || value.split('(').length !== value.split(')').length) refuse(`the value of ${property} is not valid`);
  for (const token of tokens) {
    if (/^[(),/]$/.test(token) || /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/.test(token)) continue;
    const [, number, unit = ''] = /^([+-]?(?:\d{1,5}(?:\.\d{1,5})?|\.\d{1,5}))(px|rem|em|%|deg)?$/.exec(token) ?? [];
    const [least, most] = limitsOf(element, property)[unit] ?? [];
    if (number !== undefined) {
      const isInRange = least !== undefined && most !== undefined && Number(number) >= least && Number(number) <= most;
      if (!isInRange) refuse(`${token} is not allowed for ${property} of ${element}`);
    } else if (token.endsWith('(') && FUNCTIONS.includes(token.slice(0, -1))) continue;
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
    checkValue(element, property, value);
    return `${property}:${value}`;
  });
  return declarations.join(';');
}

function selectorOf(selector: string): { element: string; scoped: string } {
  const state = STATES.find(
    (state) => Object.hasOwn(ELEMENTS, selector.slice(0, selector.length - state.length)) && selector.endsWith(state),
  );
  if (state === undefined) refuse(`the selector “${selector.slice(0, 60)}” is not allowed`);
  const element = selector.slice(0, selector.length - state.length);
  return { element, scoped: element === '.page' ? `.page.custom${state}` : `.page.custom ${element}${state}` };
}

/**
 * Limits every selector to pages with the tenant's look. Pages that ask for consent do not have this class. The
 * declarations are checked once for each element and written once, so that the work and the result stay as small as the
 * source, however often it names an element.
 */
function ruleOf(selectors: string, body: string): string {
  const given = selectors.split(',').map((selector) => selectorOf(selector.trim()));
  const declarations = new Set(
    [...new Set(given.map(({ element }) => element))].map((one) => declarationsOf(one, body)),
  );
  return `${[...new Set(given.map(({ scoped }) => scoped))].join(',')}{${[...declarations].join('')}}`;
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
