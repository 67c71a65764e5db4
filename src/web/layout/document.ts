import { type Html, html, type Part } from '../../lib/html.ts'
import { type AssetName, assetPath } from '../assets.ts'

/** A document of ours; everything in it is served from here, nothing is inline. */
export interface Document {
  language: string
  direction: 'ltr' | 'rtl'
  title: string
  body: Part
  /** The pages of our own users have a style sheet of their own. */
  desk?: boolean
  /** What makes the page better where scripts run; it works without. */
  scripts?: readonly AssetName[] | undefined
}

/** The frame of every page for the public. */
export const documentOf = ({
  language,
  direction,
  title,
  body,
  desk = false,
  scripts = [],
}: Document): Html => html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetPath(desk ? 'app.css' : 'survey.css')}">
${scripts.map(assetPath).map((path) => path !== undefined && html`<script type="module" src="${path}"></script>`)}
</head>
<body${desk && html` class="desk"`}>
${body}
</body>
</html>
`
