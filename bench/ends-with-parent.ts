import cluster from 'node:cluster'

/**
 * Loaded before a server that the bench starts: it ends with the bench, even where that is killed and can tell nobody.
 * Processes that such a server starts itself end with it by themselves.
 */
if (cluster.isPrimary && process.channel) {
  process.channel.unref()
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
}
