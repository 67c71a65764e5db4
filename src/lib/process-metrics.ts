import cluster from 'node:cluster'
import { once } from 'node:events'
import { AggregatorRegistry, type Registry } from 'prom-client'

/** A request of a child process for the metrics of all processes, or the reply of the parent process. */
interface Message {
  canvassMetrics: 'request' | { text: string } | { error: string }
}

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'canvassMetrics' in message

/**
 * Adds the metrics of this process to the metrics of all processes of one `serve`. The label `process` distinguishes
 * the processes, because a counter for all of them together would decrease when a process is replaced.
 * @returns a function that returns the metrics in the text format of Prometheus: of all processes if this is a child
 *   process, otherwise of this process
 */
export function shareMetrics(registry: Registry): () => Promise<string> {
  if (!cluster.worker) return () => registry.metrics()
  registry.setDefaultLabels({ process: String(cluster.worker.id) })
  // The constructor adds a listener that sends the metrics of the registries set below to the parent process.
  new AggregatorRegistry()
  AggregatorRegistry.setRegistries(registry)
  let pending: Promise<string> | undefined
  return () => {
    pending ??= requestMetrics().finally(() => {
      pending = undefined
    })
    return pending
  }
}

async function requestMetrics(): Promise<string> {
  process.send!({ canvassMetrics: 'request' } satisfies Message)
  for (;;) {
    const [message] = await once(process, 'message')
    if (!isMessage(message) || message.canvassMetrics === 'request') continue
    const reply = message.canvassMetrics
    if ('error' in reply) throw new Error(reply.error)
    return reply.text
  }
}

/** Replies to child processes that request the metrics of all processes. Call it in the parent process. */
export function answerMetricsRequests(): void {
  const registry = new AggregatorRegistry()
  cluster.on('message', (child, message) => {
    if (!isMessage(message)) return
    const send = (canvassMetrics: Message['canvassMetrics']) =>
      child.send({ canvassMetrics } satisfies Message, () => undefined)
    registry.clusterMetrics().then(
      (text) => send({ text }),
      ({ message: error }: Error) => send({ error }),
    )
  })
}
