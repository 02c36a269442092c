import { registerHooks } from 'node:module';

/** Preloaded into the service: makes OpenTelemetry's SDK impossible to load. */
registerHooks({
  resolve(specifier, context, next) {
    if (/^@opentelemetry\/(sdk|core|exporter|resources)/.test(specifier)) throw new Error(`${specifier} was asked for`);
    return next(specifier, context);
  },
});
