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

/** The image at the top of every page of a survey. */
export type Logo = Image<LogoType>

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
  footer: undefined,
  thank_you_page: undefined,
})

/** Returns the theme with all inherited members. @param themes the stored themes, the most specific one last */
export const resolveTheme = (...themes: readonly Partial<Theme>[]): Readonly<Theme> =>
  Object.freeze(Object.assign({}, defaultTheme, ...themes.map(definedMembers)))

const definedMembers = (theme: Partial<Theme>) =>
  Object.fromEntries(Object.entries(theme).filter(([, value]) => value !== undefined && value !== null))

/** Returns the path of a logo. */
export const logoPath = ({ digest, type }: Logo): string => `/logos/${digest}.${LOGO_TYPES[type]}`
