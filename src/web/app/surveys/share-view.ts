import { shortUrl, surveyUrl } from '../../../domain/survey-address.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { t } from '../../i18n/t.ts'
import type { SurveyRequest } from './survey-page.ts'

/** Renders the status of a survey and its links, with buttons that copy the links, and the QR code. */
export function shareView(request: SurveyRequest): Html {
  const { survey, root, context } = request
  const { live, unpublished, creator, slug } = survey
  const { baseUrl } = context.services
  const address = surveyUrl(baseUrl, { username: creator.username, slug })
  if (unpublished) return draftView(request, address)
  return html`<section class="card share" aria-labelledby="share"><div><h2 id="share">${live ? t('Live') : t('Closed')}</h2>
<p class="soft">${live ? t('Respondents can take this survey within the dates and the response limit of its settings.') : t('Respondents see a message that the survey is closed.')}</p>
${linkView('link', live ? t('Survey link') : t('Survey link when live'), t('Copy survey link'), address)}
${linkView('short-link', t('Short link'), t('Copy short link'), shortUrl(baseUrl, survey))}
${actionsView(request)}</div>
<div class="qr-code"><img src="${root}image/qr-code.svg" width="144" height="144" alt="QR code of the survey link"><p><a href="${root}image/qr-code.png?download">PNG<span class="hidden"> of the QR code</span></a> <a href="${root}image/qr-code.svg?download">SVG<span class="hidden"> of the QR code</span></a></p></div></section>`
}

const linkView = (id: string, label: string, copyLabel: string, address: string): Html =>
  html`<div class="share-link"><p class="soft">${label}</p><p><a class="address" id="${id}" href="${address}">${address}</a> <button type="button" class="small" data-copy="${id}" aria-label="${copyLabel}" hidden>Copy</button></p></div>`

function actionsView({ survey: { live }, root, csrf, may }: SurveyRequest): Part {
  const invite =
    live &&
    may('Deploy') &&
    html`<a class="button plain small" href="${root}invitations/">Invite by email</a><a class="button plain small" href="${root}embeds/">Embed in a page</a>`
  const toggle =
    may('Publish') &&
    html`<form method="post" action="${root}live/">${csrfField(csrf)}<input type="hidden" name="back" value="${root}"><button class="${live ? 'small danger' : 'small primary'}">${live ? t('Close survey') : t('Reopen survey')}</button></form>`
  return (invite || toggle) && html`<div class="button-row below">${invite}${toggle}</div>`
}

const draftView = ({ root, may }: SurveyRequest, address: string): Html =>
  html`<section class="card" aria-labelledby="share"><h2 id="share">Draft</h2>
<p>Respondents cannot take this survey yet. Publish it in the builder to open it.</p><p class="soft">Survey link when published: <span class="address">${address}</span></p>${
    may('Edit') && html`<p class="below"><a class="button primary" href="${root}edit/">Continue editing</a></p>`
  }</section>`
