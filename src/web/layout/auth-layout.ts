import { type Html, html, type Part } from '../../lib/html.ts'
import { pageDirection, pageLanguage } from '../i18n/page-locale.ts'
import { htmlDocument, logo } from './document.ts'

/** Renders a page without navigation, such as the sign-in page. Its content is in one card. */
export const authPage = (title: string, content: Part): Html =>
  htmlDocument({
    language: pageLanguage(),
    direction: pageDirection(),
    title: `${title} – Canvass`,
    layout: 'app',
    // So that the first page after the sign-in is in the time zone of the browser.
    scripts: ['app.js'],
    body: html`<main id="main" class="auth"><p class="brand">${logo}Canvass</p><div class="card"><h1>${title}</h1>${content}</div></main>`,
  })
