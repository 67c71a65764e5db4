import { html } from 'hono/html'
import type { EmbedKind } from './embed.ts'

/** The variable parts of a snippet in plain text, which `renderSnippet` escapes. */
export interface SnippetParts {
  title: string
  /** URL of the survey. */
  address: string
  /** URL of the script that opens a popup. */
  script: string
}

/** Path of the script that opens popups. */
export const POPUP_SCRIPT = '/embed/popup.js'

/** Fits a page of a few questions; longer pages scroll inside the frame. */
const FRAME_HEIGHT_PX = 720

const snippets: Readonly<Record<EmbedKind, (parts: SnippetParts) => unknown>> = {
  iframe: ({ title, address }) =>
    html`<iframe src="${address}" title="${title}" width="100%" height="${FRAME_HEIGHT_PX}" style="border:0" loading="lazy"></iframe>`,
  popup: ({ title, address, script }) =>
    html`<button type="button" data-canvass-survey="${address}" data-canvass-title="${title}">${title}</button><script src="${script}" async></script>`,
  link: ({ title, address }) => html`<a href="${address}">${title}</a>`,
}

/** Returns the HTML that embeds a survey into another web page. */
export const renderSnippet = (kind: EmbedKind, parts: SnippetParts): string => String(snippets[kind](parts))
