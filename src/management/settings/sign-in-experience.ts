import Type, { type Static } from 'typebox';
import { ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { compileCss } from '../../sign-in/brand/custom-css.ts';
import { faultOfText } from '../../sign-in/brand/custom-texts.ts';
import { IMAGE_NAMES, imageFileOf, MAX_IMAGE_BYTES } from '../../sign-in/brand/images.ts';
import { LANGUAGES, readSettings, SignInSettings, type TenantSettings } from '../../sign-in/settings.ts';
import type { Tenant } from '../../tenants.ts';
import { invalidBody } from '../shared/fields.ts';
import { serialize } from '../shared/serialize.ts';

const Images = Type.Partial(Type.Object({ logo: Type.String(), darkLogo: Type.String(), favicon: Type.String() }), {
  description: 'URLs of the uploaded images.',
});
const SignInExperience = Type.Interface([SignInSettings], { tenantId: Type.String(), images: Images });

/** Every sign-in page reads the texts with the other settings. */
const MAX_CUSTOM_TEXTS_LENGTH = 32_768;

function viewOf(tenant: Tenant, settings: TenantSettings) {
  const urls = Object.entries(settings.images).map(([name, file]) => [
    name,
    `${tenant.endpoint}/sign-in/assets/${file}`,
  ]);
  return { tenantId: tenant.id, ...settings, images: Object.fromEntries(urls) as Static<typeof Images> };
}

/** Checks what the schema cannot express. @throws 400 `guard.invalid_input` */
function checkBrand({ customCss, customTexts = {} }: Partial<SignInSettings>): void {
  if (customCss) compileCss(customCss);
  for (const [language, texts] of Object.entries(customTexts)) {
    if (!LANGUAGES.some((known) => known === language))
      throw invalidBody(`body.customTexts.${language}: must be one of ${LANGUAGES.join(', ')}`);
    for (const [key, text] of Object.entries(texts)) {
      const fault = faultOfText(key, text);
      if (fault) throw invalidBody(`body.customTexts.${language}.${key}: ${fault}`);
    }
  }
  if (JSON.stringify(customTexts).length > MAX_CUSTOM_TEXTS_LENGTH)
    throw invalidBody(`body.customTexts: must have at most ${MAX_CUSTOM_TEXTS_LENGTH} characters as JSON`);
}

const ImageParams = Type.Object({ name: Type.Enum([...IMAGE_NAMES]) });

export const signInExp = [
  operation('GET /sign-in-exp', {
    summary: 'Get the sign-in settings',
    role: 'viewer',
    status: 200,
    returns: SignInExperience,
    run: async ({ store, tenant }) => viewOf(tenant, await readSettings(store, tenant.name)),
  }),

  operation('PATCH /sign-in-exp', {
    summary: 'Update the sign-in settings',
    role: 'editor',
    roleInDefault: 'owner',
    description: 'A field that you send replaces the stored one as a whole.',
    status: 200,
    body: Type.Partial(SignInSettings),
    example: { brandName: 'Shop', color: { primaryColor: '#5d34f2' }, signInMode: 'SignInAndRegister' },
    returns: SignInExperience,
    errors: ['entity.invalid_input'],
    async run({ body, store, tenant }) {
      if (Object.keys(body).length === 0) throw new ServiceError('entity.invalid_input');
      checkBrand(body);
      await serialize(store); // Concurrent changes of different fields are all kept.
      const { images, ...stored } = await readSettings(store, tenant.name);
      const settings = { ...stored, ...body };
      await store.put('signInSettings', {}, { settings });
      return viewOf(tenant, { ...settings, images });
    },
  }),

  operation('PUT /sign-in-exp/images/:name', {
    summary: 'Upload an image of the sign-in pages',
    role: 'editor',
    roleInDefault: 'owner',
    description: `A PNG, JPEG, WebP or SVG image of at most ${MAX_IMAGE_BYTES / 1024} KiB. The content decides its type. An SVG image has no scripts and no references.`,
    status: 200,
    params: ImageParams,
    body: Type.Object({
      content: Type.String({
        minLength: 1,
        maxLength: Math.ceil(MAX_IMAGE_BYTES / 3) * 4 + 4,
        pattern: '^[A-Za-z0-9+/]+={0,2}$',
        description: 'The image in base64.',
      }),
    }),
    example: {
      content: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    },
    returns: SignInExperience,
    async run({ params: { name }, body, store, tenant }) {
      const image = imageFileOf(name, body.content);
      const settings = await readSettings(store, tenant.name);
      await store.put('signInImages', { name }, image);
      return viewOf(tenant, { ...settings, images: { ...settings.images, [name]: image.file } });
    },
  }),

  operation('DELETE /sign-in-exp/images/:name', {
    summary: 'Delete an image of the sign-in pages',
    role: 'editor',
    roleInDefault: 'owner',
    status: 204,
    params: ImageParams,
    errors: ['entity.not_exists'],
    run: ({ params: { name }, store }) => store.remove('signInImages', { name }),
  }),
];
