/** The form fields of the preview that contain its state. */
const STATE_FIELDS = ['_answers', '_pagepath', '_lang', '_key']
/** If the cursor moves to another page, the preview shows that page after this many milliseconds. */
const FOLLOW_DELAY_MS = 300

export interface LivePreview {
  /** Shows the current text. */
  refresh(): void
  /** Shows the page at the position of the cursor, if the preview shows another page. */
  follow(): void
}

/**
 * Keeps the preview up to date. Each change is loaded in a new frame. When the new frame is ready, it replaces the
 * previous frame, so that the preview does not flicker and the browser history does not change.
 * @param entry returns the index of the entry at the position of the cursor, as `pageEntryAt` does
 * @param isValid returns whether the text is valid, so that the preview can show it
 */
export function livePreview(
  form: HTMLFormElement,
  address: string,
  text: () => string,
  entry: () => number | undefined,
  isValid: () => boolean,
): LivePreview {
  let shown = document.querySelector<HTMLIFrameElement>('iframe[name=preview]')
  let loading: HTMLIFrameElement | undefined
  let count = 0
  let at: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function refresh(): void {
    if (!shown) return
    at = entry() ?? at
    loading?.remove()
    const frame = document.createElement('iframe')
    frame.name = `preview-${++count}`
    frame.title = shown.title
    frame.className = 'loading'
    frame.tabIndex = -1
    shown.after(frame)
    loading = frame
    send(frame.name)
    frame.addEventListener('load', () => showFrame(frame))
  }

  function send(target: string): void {
    const sender = document.createElement('form')
    Object.assign(sender, { method: 'post', action: address, target, hidden: true })
    const fields: Record<string, string> = {
      _csrf: String(new FormData(form).get('_csrf')),
      structure: text(),
      ...stateOf(shown),
      ...(at !== undefined && { _at: String(at) }),
    }
    for (const [name, value] of Object.entries(fields)) {
      const input = document.createElement('input')
      Object.assign(input, { type: 'hidden', name, value })
      sender.append(input)
    }
    document.body.append(sender)
    sender.submit()
    sender.remove()
  }

  function showFrame(frame: HTMLIFrameElement): void {
    // Some browsers fire a load event for the initial empty document.
    if (frame !== loading || frame.contentWindow?.location.href === 'about:blank') return
    const scrolled = shown?.contentWindow?.scrollY ?? 0
    frame.className = ''
    frame.removeAttribute('tabindex')
    shown?.remove()
    frame.name = 'preview'
    frame.contentWindow?.scrollTo(0, scrolled)
    shown = frame
    loading = undefined
  }

  form.querySelector('button[formtarget=preview]')?.addEventListener('click', (event) => {
    event.preventDefault()
    refresh()
    document.querySelector('.preview')?.scrollIntoView({ behavior: 'smooth' })
  })
  return {
    refresh,
    follow: () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        const now = entry()
        if (now !== undefined && now !== at && isValid()) refresh()
      }, FOLLOW_DELAY_MS)
    },
  }
}

/** Returns the state of a preview: its answers so far and its page. */
function stateOf(frame: HTMLIFrameElement | null): Record<string, string> {
  const form = frame?.contentDocument?.querySelector<HTMLFormElement>('form#preview')
  if (!form) return {}
  const data = new FormData(form)
  const state: Record<string, string> = {}
  for (const name of STATE_FIELDS) if (data.has(name)) state[name] = String(data.get(name))
  if (data.has('_page')) state._leaf = String(data.get('_page'))
  return state
}
