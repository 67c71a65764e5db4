import { findSurveyTheme, updateSurveyTheme } from '../../../domain/survey/survey-theme.ts'
import { findWorkingCopy } from '../../../domain/survey/working-copy.ts'
import { MIN_TEXT_CONTRAST, measureAccent } from '../../../domain/theme/palette.ts'
import { findAccountTheme, updateAccountTheme } from '../../../domain/theme/store.ts'
import { resolveTheme, type Theme } from '../../../domain/theme/theme.ts'
import { html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { errorSummary } from '../../forms/error-summary.ts'
import { type FormErrors, fieldErrorsOf } from '../../forms/field.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { editMenu } from '../builder/menu.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { type ThemeFormView, themeFields, themeFormFields } from './form.ts'
import { parseThemeForm } from './parse-form.ts'

/** A rejected form: its errors and the submitted values. */
interface Rejected extends FormErrors {
  theme: Partial<Theme>
}

/** Shows the theme of a survey, with a preview. */
export const showTheme = (request: SurveyRequest): Promise<PageResult> => themePage(request)

async function themePage(request: SurveyRequest, rejected?: Rejected): Promise<PageResult> {
  const { context, survey, root } = request
  const { account, survey: stored } = await findSurveyTheme(context, survey.id)
  const { structure } = await findWorkingCopy(context, survey.id)
  const view = {
    theme: rejected ? withLogo(rejected.theme, stored) : stored,
    inherited: account,
    languages: structure.languages,
    errors: rejected?.errors ?? new Map(),
  }
  return request.render(
    {
      title: t('Theme'),
      action: editMenu(request, 'theme'),
      scripts: ['theme.js'],
      content: html`<div class="workbench"><div>${formView(request, `${root}edit/theme/`, view, rejected)}<p class="soft">If a field is blank, the value from the theme of the owner’s account applies. <a href="/account/theme/">Theme of your account</a></p></div>
<section class="card preview" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2><iframe title="Preview" src="${root}edit/preview/" data-preview="${root}edit/preview/"></iframe></section></div>`,
    },
    rejected ? 422 : 200,
  )
}

const withLogo = (theme: Partial<Theme>, { logo }: Partial<Theme>): Partial<Theme> => ({ ...theme, logo })

/** Renders the form of a theme. */
const formView = (request: SignedInRequest, action: string, view: ThemeFormView, rejected?: Rejected): Part =>
  html`${errorSummary(rejected, themeFormFields())}<form method="post" action="${action}" enctype="multipart/form-data" class="theme" data-theme="${action}contrast/">${csrfField(request.csrf)}
${themeFields(view)}<div class="actions save-bar"><button class="primary">Save theme</button></div></form>`

/** Saves the theme of a survey. */
export async function saveTheme(request: SurveyRequest): Promise<PageResult> {
  const change = parseThemeForm(request.form)
  try {
    await request.write((context) => updateSurveyTheme(context, request.survey.id, change))
  } catch (error) {
    return themePage(request, rejectedBy(request, error))
  }
  request.flash(t('Theme saved.'))
  return { redirect: `${request.root}edit/theme/` }
}

const rejectedBy = (request: SignedInRequest, error: unknown): Rejected => {
  const { logo: _, ...entered } = parseThemeForm(request.form)
  const theme = Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== null)) as Partial<Theme>
  return {
    ...fieldErrorsOf(
      request.toProblem(error),
      themeFormFields().map(({ name }) => name),
    ),
    theme,
  }
}

/**
 * Returns the hint that the form shows below the colour fields. The hint states the contrast between the two colours in
 * the query.
 */
export async function measureSurveyTheme(request: SurveyRequest): Promise<PageResult> {
  const { account } = await findSurveyTheme(request.context, request.survey.id)
  return contrastReply(request, account)
}

/** Does the same as {@link measureSurveyTheme} for the theme of an account. */
export const measureAccountTheme = async (request: SignedInRequest): Promise<PageResult> => contrastReply(request, {})

const COLOR = /^#[0-9a-f]{6}$/i

function contrastReply({ query }: SignedInRequest, inherited: Partial<Theme>): PageResult {
  const base = resolveTheme(inherited)
  const color = (name: 'accent_color' | 'background_color') => query.get(name) || base[name]
  const [accent, background] = [color('accent_color'), color('background_color')]
  if (!COLOR.test(accent) || !COLOR.test(background)) return { json: { text: t('Enter colours such as #1f5f8b.') } }
  const { ratio, suggestion } = measureAccent(accent, background)
  if (ratio >= MIN_TEXT_CONTRAST)
    return { json: { text: t('Contrast {ratio}:1. Easy to read.', { ratio }), accepted: true } }
  const advice = suggestion
    ? t('Try the accent colour {suggestion}.', { suggestion })
    : t('Use a lighter or darker background.')
  return {
    json: {
      text: t('Contrast {ratio}:1 is too low: at least {value}:1 is required. {advice}', {
        ratio,
        value: MIN_TEXT_CONTRAST,
        advice,
      }),
    },
  }
}

/** Shows the theme of the account, which the surveys of the account inherit. */
export const showAccountTheme = (request: SignedInRequest): Promise<PageResult> => accountThemePage(request)

const ALL_LANGUAGES = [{ code: '', name: 'all languages' }]

async function accountThemePage(request: SignedInRequest, rejected?: Rejected): Promise<PageResult> {
  const { context } = request
  const stored = await findAccountTheme(context, context.actor.id)
  const view = {
    theme: rejected ? withLogo(rejected.theme, stored) : stored,
    inherited: {},
    languages: ALL_LANGUAGES,
    errors: rejected?.errors ?? new Map(),
  }
  return request.render(
    {
      title: t('Theme'),
      beforeHeading: backLink('/account/', t('Account')),
      scripts: ['theme.js'],
      content: html`<p class="soft">All your surveys have this theme, unless a survey has its own.</p>${formView(request, '/account/theme/', view, rejected)}`,
    },
    rejected ? 422 : 200,
  )
}

/** Saves the theme of the account. */
export async function saveAccountTheme(request: SignedInRequest): Promise<PageResult> {
  const change = parseThemeForm(request.form)
  try {
    await request.write((context) => updateAccountTheme(context, context.actor.id, change))
  } catch (error) {
    return accountThemePage(request, rejectedBy(request, error))
  }
  request.flash(t('Theme saved.'))
  return { redirect: '/account/theme/' }
}
