import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../../src/errors.ts';
import { compileCss } from '../../src/sign-in/brand/custom-css.ts';

const refusalOf = (css: string): string | undefined => {
  try {
    compileCss(css);
    return undefined;
  } catch (error) {
    return (error as ServiceError).details;
  }
};

describe('custom CSS', () => {
  it('is limited to the sign-in pages', () => {
    const css = `/* ours */ .page { background: linear-gradient(120deg, #0f766e, #FFF 60%) }
h1, .button:hover { font-size: 1.5rem; letter-spacing: -0.5px }
input:focus-visible { box-shadow: 0 0 0 3px #0f766e; padding: 0 1rem }
@media (prefers-color-scheme: dark) { .card { border-radius: 0; box-shadow: 0 8px 24px rgb(0 0 0 / 40%) } }`;
    expect(compileCss(css)).toBe(`.page.custom{background:linear-gradient(120deg, #0f766e, #fff 60%)}
.page.custom h1,.page.custom .button:hover{font-size:1.5rem;letter-spacing:-0.5px}
.page.custom input:focus-visible{box-shadow:0 0 0 3px #0f766e;padding:0 1rem}
@media (prefers-color-scheme: dark){.page.custom .card{border-radius:0;box-shadow:0 8px 24px rgb(0 0 0 / 40%)}}`);
    expect(compileCss('')).toBe('');
  });

  it('is not longer than its source, however often that names an element', () => {
    const css = `${'h1,'.repeat(2500)}h1{${'font-size:12px;'.repeat(560)}}`;
    expect(compileCss(css).length).toBeLessThan(css.length);
    const all = '.page,.brand,.card,h1,label,input,.button,.links,.footer'.replaceAll(',', ':hover,');
    expect(refusalOf(`${all}{${'padding:0;'.repeat(800)}}`)).toContain('is not allowed for .brand');
  });

  it.each([
    ['another file', '@import url(https://evil.example/x.css);'],
    ['another file in a rule', '.page { background: url(https://evil.example/?q) }'],
    ['a file of data', '.page { background-image: url("data:image/png;base64,AA") }'],
    ['an image set', '.page { background: image-set("a.png" 1x) }'],
    ['an escaped function', '.page { background: u\\72l(//evil.example) }'],
    ['the end of the style element', '.page { color: red } </style><script>'],
    ['a hidden text', '.heading { display: none }'],
    ['a hidden element', '.card { display: none }'],
    ['a visibility', 'h1 { visibility: hidden }'],
    ['an opacity', 'h1 { opacity: 0 }'],
    ['a heading in the color of its card', 'h1 { color: white }'],
    ['a heading that is too small to read', 'h1 { font-size: 1px }'],
    ['a heading of symbols', 'h1 { font-family: webdings }'],
    ['a text that is added', 'h1 { content: "Sign in to Bank" }'],
    ['a position', '.card { position: fixed }'],
    ['a transform', '.card { transform: scale(0) }'],
    ['an inner shadow over the card', '.card { box-shadow: inset 0 0 0 64px black }'],
    ['a shadow of a button over the refusal above it', '.button { box-shadow: 0 -64px 0 64px #fff }'],
    ['a shadow of an input over its label', 'input { box-shadow: 0 -2rem 0 2rem #fff }'],
    ['a shadow out of the window', '.card { box-shadow: 0 -64rem 0 0 #000 }'],
    ['letters on top of each other', 'label { letter-spacing: -1em }'],
    ['letters that are far apart', '.button { letter-spacing: 4em }'],
    ['an input without room for text', 'input { padding: 0 50% }'],
    ['a distance out of the window', '.page { padding-top: 9999px }'],
    ['a negative distance', '.card { padding: -20px }'],
    ['an attribute, which would tell what is typed', 'input[value^=a] { border-color: red }'],
    ['every element', '* { padding: 0 }'],
    ['a selector of relations', '.card > .note { padding: 0 }'],
    ['a class of refusals', '.fault { font-size: 12px }'],
    ['a state of its own', 'h1:not(.x) { font-size: 12px }'],
    ['an inherited name', 'constructor { font-size: 12px }'],
    ['a variable', '.page { background: var(--x) }'],
    ['a variable that the service uses', '.page { --surface: black }'],
    ['an important declaration', 'h1 { font-size: 20px !important }'],
    ['a calculation', 'h1 { font-size: calc(1px * 1) }'],
    ['an open parenthesis', '.page { background: rgb(0 0 0 } h1 { font-size: 12px }'],
    ['an open rule', '.page { background: red'],
    ['an open comment', '.page { background: red } /* '],
    ['two levels of rules', '@media (min-width: 1px) { @media (min-width: 1px) { h1 { font-size: 12px } } }'],
    ['a font', '@font-face { font-family: x }'],
    ['a condition', '@supports (x: y) { h1 { font-size: 12px } }'],
    ['letters outside ASCII', 'h1 { font-size: 12ｐx }'],
  ])('refuses %s', (_what, css) => {
    expect(refusalOf(css)).toMatch(/^body\.customCss: ./);
  });
});
