import { schema, text as textSchema } from './json-schema.ts'
import type { LanguageText } from './questionnaire.ts'
import { isRecord } from './walk.ts'

const MAX_URL_CHARACTERS = 2000

/** The JSON Schema of the image of a choice. */
export const choiceImageSchema = schema({
  type: 'object',
  description:
    'A picture of a choice. Browsers of respondents load it from its URL. In an anonymous survey, it must be uploaded.',
  required: ['url', 'alt'],
  properties: {
    url: {
      type: 'string',
      maxLength: MAX_URL_CHARACTERS,
      pattern: '^(https://[^\\s/]+|/images/[0-9a-f]{32}\\.(png|jpg|gif|webp|avif)$)',
      description: 'The `url` of an uploaded image, or an https URL of a PNG, JPEG, GIF, WebP, AVIF or SVG file.',
    },
    alt: textSchema('Describes the picture for respondents who do not see it.'),
  },
  examples: [{ url: 'https://images.example.org/tea.jpg', alt: 'A cup of green tea' }],
})

const UPLOADED = /^\/images\/[0-9a-f]{32}\.(png|jpg|gif|webp|avif)$/

/**
 * Reports whether an address is that of an uploaded image. Such an address has no host, so that it remains valid if the
 * domain changes.
 */
export const isUploadedImage = (url: string): boolean => UPLOADED.test(url)

/** Reports whether a value is an address from which pages can load an image. */
export const isImageUrl = (url: unknown): url is string =>
  typeof url === 'string' &&
  (isUploadedImage(url) ||
    (url.length <= MAX_URL_CHARACTERS && /^https:\/\/[^\s/]+/.test(url) && !/\s/.test(url) && URL.canParse(url)))

/** Reports whether a value is an image that pages can show. */
export const isImage = (value: unknown): value is { url: string; alt?: LanguageText } =>
  isRecord(value) && isImageUrl(value.url)
