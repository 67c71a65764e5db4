import type { Image } from '../image/image.ts'

/** One text for all languages, or one text per language code. */
export type ThemeText = string | Readonly<Record<string, string>>

/** A link in a footer or on a thank-you page. The URL starts with https://. */
export interface ThemeLink {
  label: ThemeText
  url: string
}

/** The footer of every page of a survey, for example with links to the imprint and the privacy policy. */
export interface Footer {
  text: ThemeText
  links: readonly ThemeLink[]
}

/** The page after the last question. Empty texts mean the default texts. */
export interface ThankYouPage {
  title: ThemeText
  text: ThemeText
  links: readonly ThemeLink[]
}

export const LOGO_TYPES = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const
export type LogoType = keyof typeof LOGO_TYPES

/** The image at the top of every page of a survey, or the cover picture of its first page. */
export type Logo = Image<LogoType>

/** A WOFF2 font file that the owner uploaded. */
export interface FontFile {
  /** A part of its address, as that of an image. */
  digest: string
  /** Size in bytes. */
  size: number
  /** Whether the file contains all weights, from thin to black. */
  isVariable: boolean
}

/** The members of a theme that are files. */
export const FILE_MEMBERS = ['logo', 'cover', 'font_file'] as const
export type FileMember = (typeof FILE_MEMBERS)[number]

export const FONTS = ['system', 'sans', 'serif', 'rounded', 'mono'] as const
export const CORNERS = ['square', 'rounded', 'round'] as const
/** Maximum number of links of a footer, and of a thank-you page. */
export const MAX_LINKS = 5

export const LAYOUTS = ['page', 'question'] as const
export type Font = (typeof FONTS)[number]
export type Corners = (typeof CORNERS)[number]
export type Layout = (typeof LAYOUTS)[number]

/**
 * The theme of a survey, or the default theme of the surveys of an account. An absent member is inherited: a survey
 * inherits from its account, and an account inherits from {@link defaultTheme}.
 */
export interface Theme {
  /** Colours of six hexadecimal digits after a number sign. */
  accent_color: string
  background_color: string
  font: Font
  corners: Corners
  layout: Layout
  /** Describes the logo to people who cannot see it. */
  logo_text: string
  logo: Logo | undefined
  /** Describes the cover picture to people who cannot see it. */
  cover_text: string
  cover: Logo | undefined
  /** The font of all texts. `font` is used until it is loaded, and for characters that it lacks. */
  font_file: FontFile | undefined
  footer: Footer | undefined
  thank_you_page: ThankYouPage | undefined
}

export const defaultTheme: Readonly<Theme> = Object.freeze({
  accent_color: '#1f5f8b',
  background_color: '#f6f5f2',
  font: 'system',
  corners: 'rounded',
  layout: 'page',
  logo_text: '',
  logo: undefined,
  cover_text: '',
  cover: undefined,
  font_file: undefined,
  footer: undefined,
  thank_you_page: undefined,
})

/** Returns the theme with all inherited members. @param themes the stored themes, the most specific one last */
export const resolveTheme = (...themes: readonly Partial<Theme>[]): Readonly<Theme> =>
  Object.freeze(themes.reduce<Theme>(inheritTheme, defaultTheme))

/** Returns a theme with the members that it inherits. A theme with its own `font` does not inherit a font file. */
export function inheritTheme<Inherited extends Partial<Theme>>(inherited: Inherited, theme: Partial<Theme>): Inherited {
  const own = definedMembers(theme)
  return { ...inherited, ...(own.font !== undefined && { font_file: undefined }), ...own }
}

const definedMembers = (theme: Partial<Theme>): Partial<Theme> =>
  Object.fromEntries(Object.entries(theme).filter(([, value]) => value !== undefined && value !== null))

/** Returns the path of a logo. */
export const logoPath = ({ digest, type }: Logo): string => `/logos/${digest}.${LOGO_TYPES[type]}`

/** Returns the path of a cover picture. */
export const coverPath = ({ digest, type }: Logo): string => `/themes/${digest}.${LOGO_TYPES[type]}`

/** Returns the path of a font file. */
export const fontPath = ({ digest }: Pick<FontFile, 'digest'>): string => `/themes/${digest}.woff2`
