import { logoPath } from '../../domain/theme/theme.ts'
import { html, type Part } from '../../lib/html.ts'
import { pathFor } from './address.ts'
import type { ResolvedRequest } from './resolve-request.ts'

/**
 * Renders the elements from which messengers and social networks create a preview of a link to a survey (Open Graph).
 * Only the first page of an open survey has these elements. A messenger that cannot open the first page, for example
 * because the survey has a password, gets none of them.
 */
export function socialPreview({ request, snapshot, i18n, isTester }: ResolvedRequest): Part {
  if (isTester) return null
  const { baseUrl } = request.context.services
  const { questionnaire: q, theme } = snapshot
  const description = i18n.plainText(q.description)
  return html`
<meta property="og:type" content="website">
<meta property="og:url" content="${baseUrl}${pathFor(snapshot)}">
<meta property="og:title" content="${i18n.plainText(q.title)}">
<meta name="twitter:card" content="summary">${
    description !== '' &&
    html`
<meta property="og:description" content="${description}">
<meta name="description" content="${description}">`
  }${
    theme.logo &&
    html`
<meta property="og:image" content="${baseUrl}${logoPath(theme.logo)}">
<meta property="og:image:alt" content="${theme.logo_text}">`
  }`
}
