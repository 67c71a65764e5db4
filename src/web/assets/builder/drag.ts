import Sortable from 'sortablejs'

/**
 * Lets authors drag pages, and questions within and between pages. Authors who use the keyboard move pages and
 * questions with buttons. They can also move a question with Alt and an arrow key.
 */
export function addDragging(root: HTMLElement, change: (fields: URLSearchParams) => Promise<unknown>): void {
  const lists = new WeakSet<Element>()
  const fieldValue = (selector: string) => root.querySelector<HTMLInputElement>(selector)?.value ?? ''
  const send = (fields: Record<string, string>) =>
    void change(new URLSearchParams({ _csrf: fieldValue('input[name=_csrf]'), ...fields }))
  const enhance = () => {
    for (const list of root.querySelectorAll<HTMLElement>('.questions, .builder-pages')) {
      if (lists.has(list)) continue
      lists.add(list)
      if (list.classList.contains('questions')) enhanceQuestions(list, send)
      else enhancePages(list, send, () => fieldValue('.page-head input[name=seen]'))
    }
  }
  enhance()
  root.addEventListener('builder:updated', enhance)
}

type Send = (fields: Record<string, string>) => void

const OPTIONS = { handle: '.drag', animation: 120 }

function enhanceQuestions(list: HTMLElement, send: Send): void {
  Sortable.create(list, {
    ...OPTIONS,
    group: 'questions',
    draggable: '.question-card',
    onEnd: ({ item, to, newIndex, from, oldIndex }) => {
      if (to === from && newIndex === oldIndex) return
      const at = String(Number(to.dataset.from) + Number(newIndex))
      send({ do: 'move', question: item.dataset.question ?? '', to: to.dataset.page ?? '', at })
    },
  })
}

function enhancePages(list: HTMLElement, send: Send, seen: () => string): void {
  Sortable.create(list, {
    ...OPTIONS,
    handle: '.page-head .drag',
    draggable: '.builder-page',
    onEnd: ({ newIndex, oldIndex }) => {
      if (newIndex === oldIndex) return
      send({ do: 'move-page', page: String(oldIndex), to: String(newIndex), seen: seen() })
    },
  })
}
