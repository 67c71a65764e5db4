import { detail } from '../error-details.ts'
import type { FieldError } from '../field-error.ts'
import { type ImageType, parseImage, withKeyedDigest } from '../image/image.ts'
import { problems } from '../problem.ts'
import { FONT_TYPE, parseFont } from './font.ts'
import {
  CORNERS,
  type Corners,
  FILE_MEMBERS,
  type FileMember,
  FONTS,
  type Font,
  type FontFile,
  type Footer,
  LAYOUTS,
  type Layout,
  LOGO_TYPES,
  type Logo,
  type LogoType,
  MAX_LINKS,
  type ThankYouPage,
  type Theme,
  type ThemeText,
} from './theme.ts'

/**
 * A change of a theme, in the form that the contract describes. Absent members are not changed. A member that is null
 * or '' is inherited.
 */
export interface ThemeChange {
  accent_color?: string | null | undefined
  background_color?: string | null | undefined
  font?: Font | '' | null | undefined
  corners?: Corners | '' | null | undefined
  layout?: Layout | '' | null | undefined
  logo_text?: string | null | undefined
  /** Base64 or a data URL. An object, such as the one in replies, keeps the stored logo. */
  logo?: string | object | null | undefined
  cover_text?: string | null | undefined
  /** As `logo`. */
  cover?: string | object | null | undefined
  /** As `logo`. */
  font_file?: string | object | null | undefined
  footer?: Partial<Footer> | null | undefined
  thank_you_page?: Partial<ThankYouPage> | null | undefined
}

/** A validated theme, and its new files. */
export interface ParsedTheme {
  theme: Partial<Theme>
  files: Partial<Record<FileMember, ThemeFile>>
}

/** A new file of a theme. */
interface ThemeFile {
  /** What the theme stores about the file. */
  value: Logo | FontFile
  digest: string
  type: string
  bytes: Buffer
}

/**
 * Applies a change to a stored theme and validates the result.
 * @param secretKey the key of the installation
 * @throws {Problem} `invalid_request` for a file that is not accepted, or a link without https://
 */
export function parseTheme(change: ThemeChange, current: Partial<Theme>, secretKey: Buffer): ParsedTheme {
  checkStyle(change)
  const { logo, cover, font_file, footer, thank_you_page, accent_color, background_color, ...rest } = change
  const files = parseFiles({ logo, cover, font_file }, secretKey)
  const fileIn = (member: FileMember) =>
    change[member] === null || change[member] === '' ? null : files[member]?.value
  const theme = withChange(current, {
    ...rest,
    font: rest.font === '' ? null : rest.font,
    corners: rest.corners === '' ? null : rest.corners,
    layout: rest.layout === '' ? null : rest.layout,
    accent_color: colorIn(accent_color),
    background_color: colorIn(background_color),
    footer: footer && { text: textOf('footer.text', footer.text), links: linksOf('footer', footer.links) },
    thank_you_page: thank_you_page && {
      title: textOf('thank_you_page.title', thank_you_page.title),
      text: textOf('thank_you_page.text', thank_you_page.text),
      links: linksOf('thank_you_page', thank_you_page.links),
    },
    ...(Object.fromEntries(FILE_MEMBERS.map((member) => [member, fileIn(member)])) as Pick<Theme, FileMember>),
  })
  if (footer === null) delete theme.footer
  if (thank_you_page === null) delete theme.thank_you_page
  return { theme, files }
}

const COLOR = /^#[0-9a-f]{6}$/i
const MAX_IMAGE_TEXT_CHARACTERS = 200
const MAX_TEXT_CHARACTERS = 2_000

/**
 * Checks the style of a theme.
 * @throws {Problem} `invalid_request` for a colour, font, layout or text that pages cannot show
 */
function checkStyle(change: ThemeChange): void {
  for (const name of ['accent_color', 'background_color'] as const)
    if (change[name] && !COLOR.test(change[name]))
      throw problems.invalidField(name, 'invalid_value', {}, detail('hex_colour'))
  const accepted = { font: FONTS, corners: CORNERS, layout: LAYOUTS } as const
  for (const [name, values] of Object.entries(accepted)) {
    const value = change[name as keyof typeof accepted]
    if (value && !values.some((one) => one === value)) throw problems.invalidField(name, 'invalid_value')
  }
  for (const name of ['logo_text', 'cover_text'] as const)
    if ((change[name]?.length ?? 0) > MAX_IMAGE_TEXT_CHARACTERS)
      throw problems.invalidField(name, 'too_long', { max: MAX_IMAGE_TEXT_CHARACTERS })
}

/**
 * Checks the length of a text and returns it.
 * @throws {Problem} `invalid_request` for a text that is too long
 */
function textOf(field: string, text: ThemeText = ''): ThemeText {
  const texts = typeof text === 'string' ? [text] : Object.values(text)
  if (texts.some(({ length }) => length > MAX_TEXT_CHARACTERS))
    throw problems.invalidField(field, 'too_long', { max: MAX_TEXT_CHARACTERS })
  return text
}

/** Returns a theme with the members of a change that are not undefined; null removes a member. */
function withChange(
  current: Partial<Theme>,
  change: { [Name in keyof Theme]?: Theme[Name] | null | undefined },
): Partial<Theme> {
  const changed = Object.entries(change).filter(([, value]) => value !== undefined)
  const all = { ...current, ...Object.fromEntries(changed) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Partial<Theme>
}

/** Returns a colour in lower case; null for an empty text. */
const colorIn = (value: string | null | undefined) => (value === undefined ? undefined : value?.toLowerCase() || null)

/**
 * Checks the number and the URLs of links.
 * @throws {Problem} `invalid_request` for a link that is not an https URL
 */
function linksOf(field: string, links: Footer['links'] = []): Footer['links'] {
  if (links.length > MAX_LINKS) throw problems.invalidField(`${field}.links`, 'too_many', { max: MAX_LINKS })
  for (const [index, { url }] of links.entries())
    if (!(url.length <= MAX_TEXT_CHARACTERS && /^https:\/\//i.test(url) && URL.canParse(url) && !new URL(url).username))
      throw problems.invalidField(`${field}.links[${index}].url`, 'url_not_allowed', {}, detail('https_address'))
  return links.map(({ label, url }, index) => ({ label: textOf(`${field}.links[${index}].label`, label), url }))
}

const IMAGE_LIMITS = { types: Object.keys(LOGO_TYPES) as LogoType[], maxPixels: 4_000 }
const MAX_BYTES = { logo: 500_000, cover: 2_000_000, font_file: 500_000 } as const

/**
 * Parses the files of a change, each as base64 or as a data URL. A file of another form, such as an object, is left out.
 * @throws {Problem} `invalid_request` with an error for each file of another format, or that is too large or incomplete
 */
function parseFiles(change: Pick<ThemeChange, FileMember>, secretKey: Buffer): ParsedTheme['files'] {
  const errors: FieldError[] = []
  const files: ParsedTheme['files'] = {}
  for (const member of FILE_MEMBERS) {
    const text = change[member]
    if (typeof text !== 'string' || text === '') continue
    const bytes = Buffer.from(text.replace(/^data:[^,]*,/, ''), 'base64')
    const maxBytes = MAX_BYTES[member]
    const parsed =
      member === 'font_file' ? parseFont(bytes, maxBytes) : parseImage(bytes, { ...IMAGE_LIMITS, maxBytes })
    if ('code' in parsed) errors.push({ field: member, ...parsed })
    else {
      const value = withKeyedDigest(secretKey, parsed)
      files[member] = { value, digest: value.digest, type: 'type' in value ? value.type : FONT_TYPE, bytes }
    }
  }
  if (errors.length > 0) throw problems.invalid(errors)
  return files
}

/** Returns whether a logo can have a type. */
export const isLogoType = (type: ImageType | undefined): type is LogoType => type !== undefined && type in LOGO_TYPES
