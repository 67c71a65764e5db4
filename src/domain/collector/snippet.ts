import { html } from 'hono/html'
import type { EmbedKind } from './embed.ts'

/** What a snippet says and where it leads; plain text, escaped here. */
export interface SnippetParts {
  title: string
  /** Where the survey is taken. */
  address: string
  /** Address of the script that opens a popup; served by this installation. */
  script: string
}

/** Where the script that opens popups is served, from the root of this installation. */
export const POPUP_SCRIPT = '/embed/popup.js'

/** High enough for a page of a few questions; the survey scrolls inside. */
const FRAME_HEIGHT_PX = 720

const snippets: Readonly<Record<EmbedKind, (parts: SnippetParts) => unknown>> = {
  iframe: ({ title, address }) =>
    html`<iframe src="${address}" title="${title}" width="100%" height="${FRAME_HEIGHT_PX}" style="border:0" loading="lazy"></iframe>`,
  popup: ({ title, address, script }) =>
    html`<button type="button" data-canvass-survey="${address}" data-canvass-title="${title}">${title}</button><script src="${script}" async></script>`,
  link: ({ title, address }) => html`<a href="${address}">${title}</a>`,
}

/** The HTML to paste into somebody else's page so that the survey is reached from there. */
export const renderSnippet = (kind: EmbedKind, parts: SnippetParts): string => String(snippets[kind](parts))
