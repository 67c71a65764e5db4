import type { Services } from '../../domain/services.ts'
import { findSurveyTheme, updateSurveyTheme } from '../../domain/survey/survey-theme.ts'
import { findAccountTheme, updateAccountTheme } from '../../domain/theme/store.ts'
import { logoPath, type Theme } from '../../domain/theme/theme.ts'
import type { Operation, Schemas } from './operation.ts'

const linksView = (links: NonNullable<Theme['footer']>['links']): Schemas['ThemeLink'][] =>
  links.map(({ label, url }) => ({ label, url }))

const themeView = ({ baseUrl }: Services, theme: Partial<Theme>): Schemas['Theme'] => {
  const { logo, footer, thank_you_page } = theme
  return {
    accent_color: theme.accent_color ?? null,
    background_color: theme.background_color ?? null,
    font: theme.font ?? null,
    corners: theme.corners ?? null,
    layout: theme.layout ?? null,
    logo_text: theme.logo_text ?? null,
    logo: logo ? { url: baseUrl + logoPath(logo), type: logo.type, width: logo.width, height: logo.height } : null,
    footer: footer ? { text: footer.text, links: linksView(footer.links) } : null,
    thank_you_page: thank_you_page
      ? { title: thank_you_page.title, text: thank_you_page.text, links: linksView(thank_you_page.links) }
      : null,
  }
}

export const getTheme: Operation<'getTheme'> = async ({ context, path }) => {
  const { survey } = await findSurveyTheme(context, path.survey_id)
  return { status: 200, body: themeView(context.services, survey) }
}

export const updateTheme: Operation<'updateTheme'> = async ({ context, path, body }) => {
  const { survey } = await updateSurveyTheme(context, path.survey_id, body)
  return { status: 200, body: themeView(context.services, survey) }
}

export const getUserTheme: Operation<'getUserTheme'> = async ({ context, path }) => ({
  status: 200,
  body: themeView(context.services, await findAccountTheme(context, path.user_id)),
})

export const updateUserTheme: Operation<'updateUserTheme'> = async ({ context, path, body }) => ({
  status: 200,
  body: themeView(context.services, await updateAccountTheme(context, path.user_id, body)),
})
