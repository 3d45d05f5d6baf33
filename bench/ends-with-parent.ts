import cluster from 'node:cluster'

/**
 * Loaded before a server that the bench starts, so that the server ends with the bench, even if the bench is killed.
 * The processes that such a server starts end with it by themselves.
 */
if (cluster.isPrimary && process.channel) {
  process.channel.unref()
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
}
