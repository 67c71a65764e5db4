import { logoPath } from '../../domain/theme/theme.ts'
import { html, type Part } from '../../lib/html.ts'
import { pathFor } from './address.ts'
import type { ResolvedRequest } from './resolve-request.ts'

/**
 * Renders the elements with which messengers and social networks preview the link of a survey (Open Graph). Only the
 * first page of a survey that anyone can take has them, so a preview reveals nothing about other surveys.
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
