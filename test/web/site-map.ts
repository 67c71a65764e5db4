import { administrationRoutes } from '../../src/web/administration-routes.ts'
import { accountRoutes, publicRoutes, respondentRoutes } from '../../src/web/routes.ts'
import { surveyRoutes, webhookRoutes } from '../../src/web/survey-routes.ts'
import type { SiteMapData } from './site-map-data.ts'

/** Pages that return a file, a part of another page, or a redirect. */
const NOT_A_PAGE = new Set([
  ...['applyListForm', 'applyReportForm', 'countNewResponses', 'followShortLink', 'measureAccountTheme'],
  ...[
    'measureSurveyTheme',
    'resumeResponse',
    'returnFromProvider',
    'showCode',
    'returnFromSignIn',
    'startProviderSignIn',
    'exportFile',
    'showEmailHtml',
    'showImage',
    'showLogo',
  ],
  ...['showQrCode', 'showThemeFile', 'offerPasskeyCode', 'offerPasskeyCreation', 'offerPasskeySignIn'],
])

/** Public pages that ask an anonymous visitor to sign in. */
const ASKS_FOR_SIGN_IN = new Set(['showConsent', 'showDevMailbox', 'showDevMessage'])

/** Every page with GET. */
export const siteMap = [
  ...[...respondentRoutes, ...publicRoutes].map(([method, path, { name }]) => ({
    method,
    path,
    name,
    isPublic: !ASKS_FOR_SIGN_IN.has(name),
  })),
  ...[...accountRoutes, ...administrationRoutes, ...surveyRoutes].map(([method, path, , { name }]) => ({
    method,
    path,
    name,
    isPublic: false,
  })),
  ...webhookRoutes.map(([method, path, { name }]) => {
    return { method, path: `/account/webhooks/${path}`, name, isPublic: false }
  }),
].filter(({ method, name }) => method === 'GET' && !NOT_A_PAGE.has(name) && !name.startsWith('download'))

/** Returns an address of a page of the site map. */
export function addressOf({ path, name }: (typeof siteMap)[number], data: SiteMapData): string {
  const address = path.replace(/(\w*)\/:(\w+)/g, (part, before: string, parameter: string) => {
    const value = data.values[`${name}/${parameter}`] ?? data.values[parameter === 'id' ? before : parameter]
    if (value === undefined) throw new Error(`${name}: site-map-data.ts has no value for “${part}”`)
    return `${before}/${value}`
  })
  return `${address}${data.queries[name] ?? ''}`
}
