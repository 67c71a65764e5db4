import { pageText } from '../page-text.ts'

/** A question type in the list. */
interface Entry {
  element: HTMLElement
  name: string
  words: string
}

const NO_MATCH = 2

/** Returns the rank of a question type for a search text. Types whose names begin with the text come first. */
function rankOf({ name, words }: Entry, text: string): number {
  if (name.startsWith(text)) return 0
  return text.split(/\s+/).every((word) => words.includes(word)) ? 1 : NO_MATCH
}

/**
 * Makes the button that adds a question at the end of a page open a list of question types with a search field. Without
 * the script, authors choose the type from a drop-down list next to the button.
 */
export function addPalette(root: HTMLElement): void {
  const dialog = document.createElement('dialog')
  dialog.className = 'palette'
  dialog.setAttribute('aria-label', pageText('Add a question'))
  document.body.append(dialog)
  // A click outside the list closes the list.
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
  root.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>('.add-question button[value=add]')
    const form = button?.form
    if (!form || !button || form.dataset.chosen !== undefined) return
    event.preventDefault()
    openPalette(dialog, form, button)
  })
}

const SVG = 'http://www.w3.org/2000/svg'

/** Returns the sketch of a question type. The page contains the drawings. */
function sketchOf(kind: string): SVGElement {
  const [sketch, use] = [document.createElementNS(SVG, 'svg'), document.createElementNS(SVG, 'use')]
  sketch.setAttribute('class', 'sketch')
  sketch.setAttribute('viewBox', '0 0 32 20')
  sketch.setAttribute('aria-hidden', 'true')
  use.setAttribute('href', `#kind-${kind}`)
  sketch.append(use)
  return sketch
}

function openPalette(dialog: HTMLDialogElement, form: HTMLFormElement, submitter: HTMLButtonElement): void {
  const select = form.querySelector('select')!
  const heading = document.createElement('h2')
  heading.textContent = pageText('Add a question')
  const search = document.createElement('input')
  Object.assign(search, { type: 'search', className: 'box', placeholder: pageText('Search types') })
  search.setAttribute('aria-label', pageText('Search question types'))
  const none = document.createElement('p')
  none.setAttribute('role', 'status')
  const list = document.createElement('div')
  list.className = 'palette-list'

  const choose = (kind: string) => {
    dialog.close()
    select.value = kind
    form.dataset.chosen = kind
    form.requestSubmit(submitter)
    delete form.dataset.chosen
  }
  const sections: { element: HTMLElement; entries: Entry[] }[] = []
  for (const group of select.querySelectorAll('optgroup')) {
    const title = document.createElement('h3')
    title.textContent = group.label
    const section = document.createElement('section')
    section.append(title)
    const entries: Entry[] = []
    for (const option of group.querySelectorAll('option')) {
      const entry = document.createElement('button')
      entry.type = 'button'
      const [name, hint] = [document.createElement('strong'), document.createElement('span')]
      name.textContent = option.textContent
      hint.textContent = option.dataset.hint ?? ''
      const text = document.createElement('span')
      text.append(name, hint)
      entry.append(sketchOf(option.value), text)
      entry.addEventListener('click', () => choose(option.value))
      section.append(entry)
      entries.push({
        element: entry,
        name: option.textContent.toLowerCase(),
        words: `${option.textContent} ${hint.textContent} ${option.dataset.words}`.toLowerCase(),
      })
    }
    sections.push({ element: section, entries })
    list.append(section)
  }
  search.addEventListener('input', () => {
    const text = search.value.trim().toLowerCase()
    const byRank = (one: Entry, other: Entry) => rankOf(one, text) - rankOf(other, text)
    for (const { element, entries } of sections) {
      for (const entry of entries) entry.element.hidden = rankOf(entry, text) === NO_MATCH
      element.append(...entries.toSorted(byRank).map((entry) => entry.element))
      element.hidden = entries.every((entry) => entry.element.hidden)
    }
    const best = ({ entries }: { entries: Entry[] }) => Math.min(...entries.map((entry) => rankOf(entry, text)))
    list.append(...sections.toSorted((one, other) => best(one) - best(other)).map(({ element }) => element))
    const { length } = list.querySelectorAll('button:not([hidden])')
    none.textContent = length === 0 ? pageText('No type matches.') : ''
  })
  search.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    list.querySelector<HTMLButtonElement>('button:not([hidden])')?.click()
  })
  dialog.replaceChildren(heading, search, none, list)
  dialog.showModal()
  search.focus()
}
