import { html } from 'hono/html'
import type { EmbedKind } from './embed.ts'

/** The variable parts of a snippet in plain text, which `renderSnippet` escapes. */
export interface SnippetParts {
  title: string
  /** URL of the survey. */
  address: string
  /** The beginning of the URLs of scripts. */
  baseUrl: string
}

/** Path of the script that sets the height of each frame to the height of the survey in the frame. */
export const FRAME_SCRIPT = '/embed/frame.js'
/** Path of the script that opens popups. */
export const POPUP_SCRIPT = '/embed/popup.js'

/**
 * Height of a frame if its script does not run. A page with a few questions fits into it; longer pages scroll inside
 * the frame.
 */
const FRAME_HEIGHT_PX = 720

const snippets: Readonly<Record<EmbedKind, (parts: SnippetParts) => unknown>> = {
  iframe: ({ title, address, baseUrl }) =>
    html`<iframe data-canvass-frame src="${address}" title="${title}" width="100%" height="${FRAME_HEIGHT_PX}" style="border:0" loading="lazy"></iframe><script src="${baseUrl}${FRAME_SCRIPT}" async></script>`,
  popup: ({ title, address, baseUrl }) =>
    html`<button type="button" data-canvass-survey="${address}" data-canvass-title="${title}">${title}</button><script src="${baseUrl}${POPUP_SCRIPT}" async></script>`,
  link: ({ title, address }) => html`<a href="${address}">${title}</a>`,
}

/** Returns the HTML that embeds a survey into another web page. */
export const renderSnippet = (kind: EmbedKind, parts: SnippetParts): string => String(snippets[kind](parts))
