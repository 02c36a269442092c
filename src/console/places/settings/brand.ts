import { csrfField, type Html, html } from '../../../pages/html.ts';
import { languageNames } from '../../../sign-in/preview.ts';
import type { Body } from '../../api.ts';
import { bodyOf, type EntityField, fieldsOf, keepChangesOf } from '../../entities/entity-fields.ts';
import { faultsOf } from '../../parts/faults.ts';
import { buttonForm, formOf } from '../../parts/form-parts.ts';
import { note } from '../../parts/parts.ts';
import { action, type ConsoleRequest, form, type Page, type RefusedForm } from '../../route.ts';

const PATH = '/settings/brand';
const PREVIEW = '/-/sign-in-preview';

type Settings = Body<'PATCH /sign-in-exp'>;

const FIELDS: EntityField<Settings>[] = [
  { name: 'brandName', label: 'Brand name', hint: 'Shown on the sign-in pages and in messages.' },
  {
    name: 'color.primaryColor',
    label: 'Brand color',
    kind: 'color',
    hint: 'Darkened or lightened where text would not be readable.',
  },
  {
    name: 'color.darkPrimaryColor',
    label: 'Brand color in dark mode',
    isOptional: true,
    hint: '# and six hex digits. Without one, dark mode uses the brand color.',
  },
  { name: 'termsOfUseUrl', label: 'Terms of service', isOptional: true, hint: 'A URL that begins with https://.' },
  { name: 'privacyPolicyUrl', label: 'Privacy policy', isOptional: true, hint: 'A URL that begins with https://.' },
  {
    name: 'languageInfo.fallbackLanguage',
    label: 'Default language',
    kind: 'choice',
    options: languageNames,
    hint: 'Used if the sign-in pages do not have a language of the user.',
  },
  {
    name: 'customCss',
    label: 'Custom CSS',
    kind: 'css',
    isOptional: true,
    hint: 'For .page, .brand, .card, h1, label, input, .button, .links and .footer: backgrounds, borders, spacing and type.',
  },
];

/** The submitted form as settings. Members with more fields than the form has keep them. */
export function brandOf(submitted: URLSearchParams, saved: Pick<Required<Settings>, 'languageInfo'>): Settings {
  const { color, languageInfo, ...brand } = bodyOf(FIELDS, submitted, false);
  const { darkPrimaryColor, ...colors } = color ?? { primaryColor: '' };
  return {
    ...brand,
    color: { ...colors, ...(darkPrimaryColor && { darkPrimaryColor }) },
    languageInfo: { ...saved.languageInfo, ...languageInfo },
  };
}

const IMAGES = [
  ['logo', 'Logo', 'Replaces the brand name. Shown 48 pixels high.'],
  ['darkLogo', 'Logo in dark mode', 'Without one, dark mode shows the logo.'],
  ['favicon', 'Icon', 'A square image for the browser tab.'],
] as const;

const read = async ({ perform }: ConsoleRequest) => (await perform('GET /sign-in-exp')).value;

/** A row with the image, a form that uploads another one, and a button that deletes it. */
function imageRow(
  request: ConsoleRequest,
  url: string | undefined,
  [name, label, hint]: (typeof IMAGES)[number],
  fault: string | undefined,
): Html {
  const path = `${PATH}/images/${name}`;
  return html`<li><div class="field"><label for="image-${name}">${label}</label><p class="hint" id="image-${name}-hint">${hint} PNG, JPEG, WebP or SVG, at most 128 KiB.${url && ' An image is uploaded.'}</p>
${fault && html`<p class="fault">${fault}</p>`}
<form class="row" method="post" enctype="multipart/form-data" action="${request.to(path)}">${csrfField(request.csrf)}<input type="file" id="image-${name}" name="content" accept="image/png,image/jpeg,image/webp,image/svg+xml" aria-describedby="image-${name}-hint" required><button class="button compact" aria-label="Upload ${label.toLowerCase()}">Upload</button></form></div>
${url && buttonForm(request, `${path}/delete`, html`Delete<span class="unseen"> ${label.toLowerCase()}</span>`)}</li>`;
}

const frame = (request: ConsoleRequest, scheme: 'light' | 'dark', label: string): Html =>
  html`<figure><iframe name="preview-${scheme}" title="Sign-in page, ${label.toLowerCase()}" src="${request.to(`${PREVIEW}?scheme=${scheme}`)}" sandbox="allow-same-origin"></iframe><figcaption class="quiet">${label}</figcaption></figure>`;

/** @param refusedImage name of the image whose upload was refused */
async function render(request: ConsoleRequest, refused?: RefusedForm, refusedImage?: string): Promise<Page> {
  const settings = await read(request);
  const own = refusedImage === undefined ? refused : undefined;
  const rows = IMAGES.map((image) =>
    imageRow(
      request,
      settings.images[image[0]],
      image,
      refused && image[0] === refusedImage
        ? (faultsOf(refused).fields.get('content') ?? refused.error.message)
        : undefined,
    ),
  );
  return {
    title: 'Brand',
    lead: 'How this tenant’s sign-in pages look. The preview shows your changes before you save them.',
    actions: html`<a class="button" href="${request.to(`${PATH}/texts`)}">Edit texts</a>`,
    modules: ['console/brand-preview'],
    content: html`<div class="beside">
<div class="stack">
<section data-preview="${request.to(PREVIEW)}">${formOf(request, { path: PATH, content: fieldsOf(FIELDS, settings, own), submit: 'Save brand', faults: faultsOf(own) })}</section>
<section><h2>Images</h2>${note('info', 'An image is saved as soon as you upload it.')}<ul class="list">${rows}</ul></section>
</div>
<section class="previews" aria-label="Preview" inert>${frame(request, 'light', 'Light')}${frame(request, 'dark', 'Dark')}</section>
</div>`,
  };
}

const show = (request: ConsoleRequest, refused?: RefusedForm): Promise<Page> => render(request, refused);

const showImage = (request: ConsoleRequest<{ name: string }>, refused?: RefusedForm): Promise<Page> =>
  render(request, refused, request.params.name);

async function save(request: ConsoleRequest) {
  const saved = await read(request);
  await keepChangesOf(request, 'PATCH /sign-in-exp', FIELDS, saved);
  await request.perform('PATCH /sign-in-exp', { body: brandOf(request.submitted, saved) });
  return { to: PATH, flash: { text: 'Brand saved.' } };
}

async function upload({ perform, submitted }: ConsoleRequest<{ name: string }>) {
  await perform('PUT /sign-in-exp/images/:name', { body: { content: submitted.get('content') ?? '' } });
  return { to: PATH, flash: { text: 'Image uploaded.' } };
}

async function remove({ perform }: ConsoleRequest<{ name: string }>) {
  await perform('DELETE /sign-in-exp/images/:name');
  return { to: PATH, flash: { text: 'Image deleted.' } };
}

export const brandRoutes = [
  form(PATH, show, save, 'PATCH /sign-in-exp'),
  action(`${PATH}/images/:name`, showImage, upload, 'PUT /sign-in-exp/images/:name'),
  action(`${PATH}/images/:name/delete`, showImage, remove, 'DELETE /sign-in-exp/images/:name'),
];
