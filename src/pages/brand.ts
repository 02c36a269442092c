/** Linear-light sRGB, each 0 to 1. */
type Rgb = [number, number, number];

interface Oklch {
  lightness: number;
  chroma: number;
  /** Radians. */
  hue: number;
}

/** WCAG 2 requires 4.5:1. A little more, because the written color is rounded. */
const CONTRAST = 4.6;

/** Relative luminance of the backgrounds that are hardest to read on: the darkest of the light theme, the lightest of the dark. */
const LIGHT_SUNKEN = 0.89;
const DARK_SURFACE = 0.018;

const toLinear = (byte: number): number => {
  const value = byte / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
};

const rgbOf = (hex: string): Rgb =>
  [1, 3, 5].map((start) => toLinear(Number.parseInt(hex.slice(start, start + 2), 16))) as Rgb;

/** Converts to Björn Ottosson's OKLab, in polar coordinates. */
function oklchOf([red, green, blue]: Rgb): Oklch {
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return {
    lightness: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    chroma: Math.hypot(a, b),
    hue: Math.atan2(b, a),
  };
}

function linearOf({ lightness, chroma, hue }: Oklch): Rgb {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clip = (value: number) => Math.min(1, Math.max(0, value));
  return [
    clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

const luminanceOf = ([red, green, blue]: Rgb): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue;

const contrastOf = (one: number, other: number): number =>
  (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);

/** Changes the lightness step by step until the color has enough contrast with the background. */
function readable(color: Oklch, background: number, step: number): Oklch {
  let adjusted = color;
  while (
    contrastOf(luminanceOf(linearOf(adjusted)), background) < CONTRAST &&
    adjusted.lightness > 0 &&
    adjusted.lightness < 1
  ) {
    adjusted = { ...adjusted, lightness: adjusted.lightness + step };
  }
  return adjusted;
}

const cssOf = ({ lightness, chroma, hue }: Oklch): string =>
  `oklch(${lightness.toFixed(3)} ${chroma.toFixed(3)} ${((hue * 180) / Math.PI).toFixed(1)})`;

const WHITE = 'oklch(1 0 0)';
const BLACK = 'oklch(0 0 0)';

/** The ink with more contrast on this color. One of the two always has at least 4.58:1. */
const inkOn = (color: Rgb): string =>
  contrastOf(luminanceOf(color), 1) >= contrastOf(luminanceOf(color), 0) ? WHITE : BLACK;

const paper = (ink: string): string => (ink === WHITE ? BLACK : WHITE);

/**
 * Returns the tenant's accent colors as a style sheet. As a color of text a brand color is darkened for the light theme
 * and lightened for the dark theme until it is readable. Buttons are filled with the color as it is, and have black or
 * white text; while the pointer is over them, the fill moves away from the text.
 *
 * @param hex `#` and six digits
 * @param darkHex the color for the dark theme
 */
export function brandStyles(hex: string, darkHex = hex): string {
  const light = readable(oklchOf(rgbOf(hex)), LIGHT_SUNKEN, -0.005);
  const dark = readable(oklchOf(rgbOf(darkHex)), DARK_SURFACE, 0.005);
  const [ink, darkInk] = [inkOn(rgbOf(hex)), inkOn(rgbOf(darkHex))];
  const hover = (fill: string, text: string) => `color-mix(in oklch,${fill},${paper(text)} 15%)`;
  const values = {
    accent: [cssOf(light), cssOf(dark)],
    fill: [hex, darkHex],
    'on-fill': [ink, darkInk],
    'fill-hover': [hover(hex, ink), hover(darkHex, darkInk)],
  };
  const lines = Object.entries(values).map(([name, [day, night]]) => `--${name}:light-dark(${day},${night})`);
  return `:root{${lines.join(';')}}`;
}
