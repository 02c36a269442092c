import { registerHooks } from 'node:module';

/** Loaded ahead of the service by a test: from then on OpenTelemetry's SDK cannot be loaded. */
registerHooks({
  resolve(specifier, context, next) {
    if (/^@opentelemetry\/(sdk|core|exporter|resources)/.test(specifier)) throw new Error(`${specifier} was asked for`);
    return next(specifier, context);
  },
});
