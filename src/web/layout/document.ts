import { type Html, html, type Part, trusted } from '../../lib/html.ts'
import { type AssetName, assetPath } from '../assets.ts'
import { pageCatalog, pageDirection, pageLanguage } from '../i18n/page-locale.ts'

/**
 * An HTML document. It loads scripts and styles only from this server, and contains no inline scripts or styles. Images
 * can also come from other websites.
 */
interface HtmlDocument {
  language: string
  direction: 'ltr' | 'rtl'
  title: string
  body: Part
  /** Selects the style sheet: that of survey pages, or that of the application that owners use. */
  layout?: 'survey' | 'app'
  /** The path of a second style sheet, which takes precedence over the style sheet of the layout. */
  themeSheet?: string | undefined
  /** Elements of the HTML head that describe the page to other sites, such as social networks. */
  head?: Part
  /** The scripts of the page. Each page also works without them. */
  scripts?: readonly AssetName[] | undefined
}

/** Renders the translations of texts in scripts. The scripts themselves contain the texts in English. */
function scriptTexts(): Part {
  const texts = pageCatalog()?.scripts
  if (!texts) return null
  return html`<script type="application/json" id="page-texts">
    ${trusted(JSON.stringify(texts).replaceAll('<', '\\u003c'))}
  </script>`
}

/** The logo that is shown beside the name of the product. */
export const logo: Html = html`<img src="${assetPath('logo.svg')}" alt="" width="24" height="24">`

/** Renders a whole document. */
export const htmlDocument = ({
  language,
  direction,
  title,
  body,
  layout = 'survey',
  themeSheet,
  head,
  scripts = [],
}: HtmlDocument): Html => html`
    <!doctype html>
    <html lang="${language}" dir="${direction}">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>${title}</title>
        <link rel="icon" href="${layout === 'app' ? assetPath('logo.svg') : 'data:,'}">
        <link rel="stylesheet" href="${assetPath(`${layout}.css`)}">
        ${themeSheet && html`<link rel="stylesheet" href="${themeSheet}">`}
        ${head}
        ${layout === 'app' && scriptTexts()}
        ${scripts
          .map(assetPath)
          .map((path) => path !== undefined && html`<script type="module" src="${path}"></script>`)}
      </head>
      <body${layout === 'app' && html` class="app"`}>${body}</body>
    </html>`

/** Renders a page without navigation, such as the sign-in page. Its content is in one card. */
export const authPage = (title: string, content: Part, scripts: readonly AssetName[] = []): Html =>
  htmlDocument({
    language: pageLanguage(),
    direction: pageDirection(),
    title: `${title} – Canvass`,
    layout: 'app',
    // So that the first page after the sign-in is in the time zone of the browser.
    scripts: ['app.js', ...scripts],
    body: html`<main id="main" class="auth">
      <p class="brand">${logo}Canvass</p>
      <div class="card"><h1>${title}</h1>${content}</div>
    </main>`,
  })
