import type { EntityManager } from '@mikro-orm/postgresql'
import type { InlineImage } from '../../lib/mailer.ts'
import type { Tables } from '../tables.ts'
import { type Palette, palettesOf } from '../theme/palette.ts'
import { findThemeFile, findThemes } from '../theme/store.ts'
import { type Corners, defaultTheme, type Font, resolveTheme, type Theme } from '../theme/theme.ts'

/** The style of an email: the settings of the theme of its survey that mail programs can show. */
export interface MailStyle {
  colors: Palette
  fontFamily: string
  /** CSS lengths. */
  cardRadius: string
  buttonRadius: string
  logo: { width: number; height: number; text: string } | undefined
}

/** The style of an email and the file of its logo. */
export interface MailTheme {
  style: MailStyle
  image: InlineImage | undefined
}

/** The Content-ID of the logo in a message. The HTML refers to the logo by `cid:` followed by this ID. */
export const LOGO_CID = 'logo@survey'

const FONT_FAMILIES: Readonly<Record<Font, string>> = {
  system: 'Arial,Helvetica,sans-serif',
  sans: 'Helvetica,Arial,sans-serif',
  serif: 'Georgia,Times,serif',
  rounded: 'Verdana,Arial,sans-serif',
  mono: 'Courier,monospace',
}
const RADII: Readonly<Record<Corners, readonly [card: string, button: string]>> = {
  square: ['0', '0'],
  rounded: ['10px', '8px'],
  round: ['24px', '20px'],
}
const MAX_LOGO_WIDTH = 256
const MAX_LOGO_HEIGHT = 64

/** Returns the style of the emails of a survey. Mail programs that do not show WebP show the text of the logo. */
export function mailStyleOf(theme: Readonly<Theme> = defaultTheme): MailStyle {
  const [cardRadius, buttonRadius] = RADII[theme.corners]
  return {
    colors: palettesOf(theme.accent_color, theme.background_color).light,
    fontFamily: FONT_FAMILIES[theme.font],
    cardRadius,
    buttonRadius,
    logo: theme.logo && { ...sizeOf(theme.logo), text: theme.logo_text },
  }
}

function sizeOf({ width, height }: { width: number; height: number }): { width: number; height: number } {
  const scale = Math.min(1, MAX_LOGO_WIDTH / width, MAX_LOGO_HEIGHT / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/**
 * Reads style and logo of the emails of a survey. Each message contains the logo and loads nothing from a server, so
 * that no one can detect when the message is read.
 */
export async function findMailTheme(em: EntityManager, surveyId: number): Promise<MailTheme> {
  const survey = await em
    .getKysely<Tables>()
    .selectFrom('survey')
    .select('owner_id')
    .where('id', '=', surveyId)
    .executeTakeFirst()
  const themes = survey && (await findThemes(em, { accountId: survey.owner_id, surveyId }))
  const theme = resolveTheme(themes?.account ?? {}, themes?.survey ?? {})
  const bytes = theme.logo && (await findThemeFile(em, 'logo', theme.logo.digest, theme.logo.type))
  const style = mailStyleOf(theme)
  if (!bytes) return { style: { ...style, logo: undefined }, image: undefined }
  return { style, image: { cid: LOGO_CID, type: theme.logo!.type, bytes } }
}
